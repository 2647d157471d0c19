package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantError fails unless an error contains all texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v, want one with %q", err, text)
		}
	}
}

func TestTempRenamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := new(Session).Create(path)
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
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("files %v", left)
	}
	if info, _ := os.Stat(path); info.Mode().Perm()&0o600 != 0o600 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestTempAborted(t *testing.T) {
	dir := t.TempDir()
	f, err := new(Session).Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("half"))
	f.Abort()
	f.Abort()
	if err := f.Commit(); err == nil {
		t.Error("Commit after Abort succeeds")
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("files %v", left)
	}
}

// After a failed write no file appears, even if later calls succeed.
func TestTempFailureIsFinal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f, err := new(Session).Create(path)
	if err != nil {
		t.Fatal(err)
	}
	writable := f.file
	f.file, err = os.Open(writable.Name()) // a file that cannot be written
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err == nil {
		t.Fatal("the write succeeded")
	}
	f.file.Close()
	f.file = writable
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("a write after the failure succeeded")
	}
	wantError(t, f.Commit(), path)
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("files %v", left)
	}
}

func TestTempFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is always full (Linux has /dev/full): %v", err)
	}
	f := &Temp{file: full, Target: "a.csv", closed: true}
	_, err = f.Write([]byte("x"))
	wantError(t, err, "cannot write a.csv", "no space left")
	full.Close()
}

func TestTempRefusals(t *testing.T) {
	dir := t.TempDir()
	_, err := new(Session).Create(dir)
	wantError(t, err, dir, "directory")
	_, err = new(Session).Create(os.DevNull)
	wantError(t, err, os.DevNull, "not a regular file")
	_, err = new(Session).Create(filepath.Join(dir, "none", "a"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestTempFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skipf("no symbolic links can be made here: run it on Linux or macOS, or with the right to make them: %v", err)
	}
	f, err := new(Session).Create(link)
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
