package file_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// listing returns the names in a directory.
func listing(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAtomicFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := file.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("new file"))
	f.WriteAt([]byte("N"), 0)
	if old, _ := os.ReadFile(path); string(old) != "old" {
		t.Fatalf("before Commit the file holds %q", old)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort() // does nothing
	if got, _ := os.ReadFile(path); string(got) != "New file" {
		t.Errorf("the file holds %q", got)
	}
	if err := f.Commit(); err == nil {
		t.Error("a second Commit succeeds")
	}
	if names := listing(t, dir); len(names) != 1 {
		t.Errorf("files %v", names)
	}
	if info, _ := os.Stat(path); info.Mode().Perm()&0o600 != 0o600 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestAtomicAbort(t *testing.T) {
	dir := t.TempDir()
	f, err := file.Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("half"))
	f.Abort()
	f.Abort()
	if err := f.Commit(); err == nil {
		t.Error("Commit after Abort succeeds")
	}
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("files %v", names)
	}
}

// After a failed write nothing may appear, whatever succeeds later.
func TestAtomicFailureIsFinal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f, err := file.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	writable := f.File
	f.File, err = os.Open(writable.Name()) // a file that cannot be written
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err == nil {
		t.Fatal("the write succeeded")
	}
	f.File.Close()
	f.File = writable
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("a write after the failure succeeded")
	}
	filetest.WantError(t, f.Commit(), path)
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("files %v", names)
	}
}

func TestAtomicFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is always full (Linux has /dev/full): %v", err)
	}
	f := &file.Atomic{File: full, Target: "a.csv", Closed: true}
	_, err = f.Write([]byte("x"))
	filetest.WantError(t, err, "cannot write a.csv", "no space left")
	full.Close()
}

func TestAtomicRefusals(t *testing.T) {
	dir := t.TempDir()
	_, err := file.Create(dir)
	filetest.WantError(t, err, dir, "directory")
	_, err = file.Create(os.DevNull)
	filetest.WantError(t, err, os.DevNull, "not a regular file")
	_, err = file.Create(filepath.Join(dir, "none", "a"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestAtomicFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skipf("no symbolic links can be made here: run it on Linux or macOS, or with the right to make them: %v", err)
	}
	f, err := file.Create(link)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("x"))
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "x" {
		t.Errorf("the target holds %q", got)
	}
}
