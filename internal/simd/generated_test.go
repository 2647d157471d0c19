package simd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The generated files are those of the generator: run go generate after a change.
func TestGeneratedFilesAreWhatTheGeneratorMakes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the generator: run without -short")
	}
	if out, err := exec.Command("go", "-C", "_gen", "mod", "download").CombinedOutput(); err != nil {
		t.Skipf("the generator's modules cannot be downloaded (needs a module proxy): %s", out)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "-C", "_gen", ".", "-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("the generator fails: %s", out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) == 0 {
		t.Fatalf("the generator made no files: %v", err)
	}
	for _, path := range made {
		compareFiles(t, path, filepath.Base(path))
	}
	assembly, _ := filepath.Glob("*.s")
	for _, name := range assembly {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s is not made by the generator any more: delete it", name)
		}
	}
}

// compareFiles compares a generated file with the one in the repository.
func compareFiles(t *testing.T, made, kept string) {
	t.Helper()
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(kept)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the generator makes: run go generate ./internal/simd", kept)
	}
}
