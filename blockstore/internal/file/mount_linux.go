package file

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// isMountPoint reports whether the file at path is a mount point, as in containers.
func isMountPoint(path string) bool {
	mount := func(path string) (id uint64, ok bool) {
		var s unix.Statx_t
		err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_MNT_ID, &s)
		return s.Mnt_id, err == nil && s.Mask&unix.STATX_MNT_ID != 0
	}
	file, ok := mount(path)
	folder, ok2 := mount(filepath.Dir(path))
	return ok && ok2 && file != folder
}
