package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
)

// A fit renames its files under the lock of their folder, so that they are not mixed with those of a concurrent fit.
func TestOutputsAreNamedTogether(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no locks")
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := writeTable(at("x.csv"), rows.Numbered("x", 2), uniformRows(50, 2)); err != nil {
		t.Fatal(err)
	}
	release, err := blockstore.LockFolder(t.Context(), at("m.npz"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	go func() {
		done <- run(t.Context(), []string{"fit", "landmark", at("x.csv"), "--kernel", "rbf(gamma=1)", "--rank", "2",
			"-o", at("m.npz"), "--factors", at("u.npy"), "--plot", at("p.svg"), "--quiet"}, nil, io.Discard, io.Discard)
	}()
	names := []string{"m.npz", "u.npy", "p.svg"}
	select {
	case code := <-done:
		t.Fatalf("exit code %d while the folder was locked", code)
	case <-time.After(300 * time.Millisecond):
	}
	for _, name := range names {
		if _, err := os.Stat(at(name)); err == nil {
			t.Errorf("%s was renamed while the folder was locked", name)
		}
	}
	release()
	if code := <-done; code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	for _, name := range names {
		if _, err := os.Stat(at(name)); err != nil {
			t.Error(err)
		}
	}
}
