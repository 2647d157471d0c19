package filetest

import (
	"os"
	"path/filepath"
	"testing"
)

// RealData returns the path of a published file that is not in the repository, and skips the test
// if it is missing. The files are in $NYSTREAM_DATA, by default shared/data beside the clone.
func RealData(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("NYSTREAM_DATA")
	if dir == "" {
		dir = filepath.Join(clone(t), "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no real data: %v (set NYSTREAM_DATA)", err)
	}
	return path
}

// clone returns the folder of the repository: the nearest one above the test
// with a go.mod.
func clone(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("there is no go.mod above the test")
	return ""
}
