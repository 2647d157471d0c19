package graph

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changing is a context that changes a file when its error is asked for the third time.
type changing struct {
	context.Context
	asked  int
	change func()
}

func (c *changing) Err() error {
	if c.asked++; c.asked == 3 {
		c.change()
	}
	return nil
}

// A file of edges or nodes that changes while it is read is refused.
func TestChangedWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.csv")
	write := func(target string) {
		if err := os.WriteFile(path, []byte(strings.Repeat("1,"+target+"\n", 100_000)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx := &changing{Context: t.Context(), change: func() { write("3") }}
	write("2")
	_, err := Read(ctx, path, Options{})
	wantChanged(t, path, ctx, err)
	ctx.asked = 0
	write("2")
	_, err = ReadWords(ctx, path, "0", Options{})
	wantChanged(t, path, ctx, err)
}

func wantChanged(t *testing.T, path string, ctx *changing, err error) {
	t.Helper()
	if err == nil || ctx.asked < 3 || !strings.HasPrefix(err.Error(), path+": the file was changed after it was opened") {
		t.Errorf("%d times asked: %v", ctx.asked, err)
	}
}
