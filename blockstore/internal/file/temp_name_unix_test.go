//go:build unix

package file

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ownedBy reports whether user and group of a file have the given id.
func ownedBy(info fs.FileInfo, id uint32) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Uid == id && s.Gid == id
}

// A file that is a mount point, as in a container, cannot be replaced. This is an error before anything is written.
func TestMountedFile(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	for _, path := range []string{from, to} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("mount", "--bind", from, to).CombinedOutput(); err != nil {
		t.Skipf("no file can be mounted here; run it as root on Linux: %s", strings.TrimSpace(string(out)))
	}
	defer exec.Command("umount", to).Run()
	if _, _, err := Target(to); err == nil || !strings.Contains(err.Error(), "mount") {
		t.Errorf("the error is %v", err)
	}
	if _, _, err := Target(from); err != nil {
		t.Error(err)
	}
}

// A link that replaces an abandoned file after its inspection is not followed.
func TestTempFollowsNoLink(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	f, err := openTemp(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f, err := openTemp(link); err == nil {
		f.Close()
		t.Error("a link is followed")
	}
}
