package blockstore

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// TestSpoolRoom: what copies take together is bounded, to the byte; and a copy that was removed
// makes room.
func TestSpoolRoom(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	text := "x,y\n" + strings.Repeat("1,2\n", 500)
	size := int64(len(text))
	piped := func(room *SpoolRoom) Options {
		return Options{Stdin: strings.NewReader(text), SpoolDir: dir, SpoolRoom: room}
	}
	room := NewSpoolRoom(2*size + 100)
	for range 2 {
		mustOpen(t, piped(room), "-")
	}
	var over *OverRoomError
	var spool *SpoolError
	_, err := Open(ctx, []string{"-"}, piped(room))
	if !errors.As(err, &over) || over.Limit != 2*size+100 || over.Others != 2*size || !errors.As(err, &spool) {
		t.Errorf("%v, want an error about %d bytes of which others have %d", err, 2*size+100, 2*size)
	}
	if most := room.Most(); most < 2*size || most > 2*size+100 {
		t.Errorf("at one time copies took %d bytes at most, want %d", most, 2*size)
	}
	// Any room counts, too, and what was given back remains counted.
	counted := NewSpoolRoom(0)
	for range 2 {
		if _, _, err := Columns(ctx, []string{"-"}, piped(counted)); err != nil {
			t.Fatal(err)
		}
	}
	if counted.Most() != size {
		t.Errorf("one copy after the other took %d bytes at one time, want %d", counted.Most(), size)
	}
	if _, err := Open(ctx, []string{"-"}, Options{Stdin: strings.NewReader(text), SpoolDir: dir + "/none"}); !errors.As(err, &spool) {
		t.Errorf("%v, want an error about the folder", err)
	}
	// A file that is written where it stays takes none.
	if w, err := Create(t.TempDir()+"/whole.nys", Schema{Columns: []string{"a", "b", "c"}, Rows: 100, SpoolRoom: NewSpoolRoom(1)}); err != nil {
		t.Error(err)
	} else if err := errors.Join(w.Write(&stream.Batch{X: matrix.New(100, 3)}, 100), w.Commit()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}
