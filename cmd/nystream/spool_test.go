//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// mountSmall mounts a file system of the given size at a new folder.
func mountSmall(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here; run it as root: %s", strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", folder).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return folder
}

// A full disk for temporary copies is a failure, not an error of the data. The message has the folder, the bytes and
// the flag. No temporary file and no output remains.
func TestFullSpool(t *testing.T) {
	small := mountSmall(t, "256k")
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("TMPDIR", t.TempDir()) // which nothing may use
	var text bytes.Buffer
	text.WriteString("a,b\n")
	for range 20_000 {
		text.WriteString("0.123456789,0.5\n")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(text.Bytes())
	z.Close()
	if err := os.WriteFile("x.csv.gz", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("x.csv", text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, nil, "convert", "x.csv", "x.arrows")
	stream, err := os.ReadFile("x.arrows")
	if err != nil {
		t.Fatal(err)
	}
	fit := []string{"--kernel", "rbf", "--rank", "2", "-o", "m.npz"}
	for name, test := range map[string]struct {
		in   []byte
		args []string
	}{
		"text from a pipe":  {text.Bytes(), append([]string{"fit", "landmark", "-"}, fit...)},
		"packed text":       {nil, append([]string{"fit", "landmark", "x.csv.gz"}, fit...)},
		"a stream":          {stream, append([]string{"fit", "landmark", "-"}, fit...)},
		"rows of no number": {stream, []string{"convert", "-", "-", "--output-format", "npy"}},
		"the other source":  {text.Bytes(), append([]string{"fit", "ssrsvd", "x.csv", "--right", "-"}, fit...)},
		"what is looked at": {nil, []string{"inspect", "x.csv.gz"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(test.args, "--spool-dir", small, "--max-spool-size", "0")
			fails(t, args, bytes.NewReader(test.in), io.Discard, app.ExitFailed, small, "no space left on device", "iB", "--spool-dir")
			for _, dir := range []string{small, os.Getenv("TMPDIR")} {
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("left in %s: %v", dir, left)
				}
			}
			if left, _ := filepath.Glob("m.npz"); len(left) > 0 {
				t.Error("a model is there")
			}
			args = append(test.args, "--spool-dir", small)
			fails(t, args, bytes.NewReader(test.in), io.Discard, app.ExitBudget, "copies may take 128 KiB in all, half of the 256 KiB that were free in "+small, "(--max-spool-size)")
		})
	}
}

// runs runs a command line that must succeed.
func runs(t *testing.T, in []byte, args ...string) {
	t.Helper()
	var out, messages bytes.Buffer
	if code := run(t.Context(), args, bytes.NewReader(in), &out, &messages); code != 0 {
		t.Fatalf("%v ends with %d: %s", args, code, messages.String())
	}
}
