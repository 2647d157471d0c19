//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// noFollow makes opening fail on a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// keepOwner gives a file the owner and the mode of another, as far as permitted.
func keepOwner(f *os.File, of fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	is, ok := now.Sys().(*syscall.Stat_t)
	should, ok2 := of.Sys().(*syscall.Stat_t)
	if ok && ok2 && (is.Uid != should.Uid || is.Gid != should.Gid) {
		if f.Chown(int(should.Uid), int(should.Gid)) != nil {
			f.Chown(-1, int(should.Gid))
		}
	}
	if now.Mode().Perm() != of.Mode().Perm() {
		f.Chmod(of.Mode().Perm())
	}
}

// cannotRename returns why the existing file at path cannot be replaced by a rename, nil if nothing
// is known to prevent it.
func cannotRename(path string, file, folder fs.FileInfo) error {
	f, ok := file.Sys().(*syscall.Stat_t)
	d, ok2 := folder.Sys().(*syscall.Stat_t)
	me := uint32(os.Geteuid())
	switch {
	case isMountPoint(path):
		return fault.New("something is mounted there, which cannot be replaced").WithRemedy("mount its folder instead")
	case ok && ok2 && folder.Mode()&fs.ModeSticky != 0 && me != 0 && me != f.Uid && me != d.Uid:
		return fault.New("it is another user's, and in its folder only that user may replace it")
	}
	return nil
}
