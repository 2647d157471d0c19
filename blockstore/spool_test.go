package blockstore

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// pipe is a source of a batch that can be read once, in short reads.
type pipe struct {
	info   stream.Info
	batch  *stream.Batch
	fail   error // instead of io.EOF
	opened bool
	at     int
}

// newPipe makes a pipe of filetest.SampleBatch.
func newPipe(n int) *pipe {
	return &pipe{
		info:  stream.Info{Name: "pipe", Columns: filetest.SampleInfo.Columns, Kept: filetest.SampleInfo.Kept, Rows: -1, Once: true},
		batch: filetest.SampleBatch(n, 21), fail: io.EOF,
	}
}

func (p *pipe) Info() stream.Info { return p.info }
func (p *pipe) Close() error      { return nil }

func (p *pipe) Open(context.Context, int64) (stream.Reader, error) {
	if p.opened {
		return nil, errors.New("opened twice")
	}
	p.opened = true
	return p, nil
}

func (p *pipe) Read(dst *stream.Batch) (int, error) {
	n := min(dst.X.Rows, 17, p.batch.X.Rows-p.at)
	for i := range n {
		copy(dst.X.Data[i*dst.X.Stride:], column.Row(p.batch.X, p.at+i))
	}
	column.Truncate(dst, p.info.Kept)
	for k := range dst.Kept {
		dst.Kept[k].Append(&p.batch.Kept[k], p.at, p.at+n)
	}
	p.at += n
	if p.at == p.batch.X.Rows {
		return n, p.fail
	}
	return n, nil
}

func TestSpool(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 5000} {
		p := newPipe(n)
		src, cleanup, err := Spool(context.Background(), p, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := p.info
		want.Rows, want.Once, want.Lead, want.Holds, want.Scans = int64(n), false, src.Info().Lead, src.Info().Holds, 1
		if diff := cmp.Diff(want, src.Info()); diff != "" {
			t.Error(diff)
		}
		for range 2 {
			if d := filetest.Diff(p.batch, filetest.MustRead(t, src, 999)); d != "" {
				t.Error(d)
			}
		}
		if n > 0 {
			row := column.NewBatch(src.Info(), 1)
			if err := src.(stream.Gatherer).Gather(context.Background(), []int64{int64(n) - 1}, row); err != nil {
				t.Error(err)
			}
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 && runtime.GOOS != "windows" {
			t.Errorf("the spool has a name: %v", left)
		}
		if err := cleanup(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if _, err := filetest.ReadAll(src, 10); n > 0 && err == nil {
			t.Error("read after cleanup")
		}
	}
}

func TestSpoolErrors(t *testing.T) {
	p := newPipe(100)
	p.fail = errors.New("the line went dead")
	dir := t.TempDir()
	if _, _, err := Spool(context.Background(), p, dir, nil); !errors.Is(err, p.fail) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, _, err := Spool(context.Background(), newPipe(1), dir+"/none", nil); err == nil {
		t.Error("spooled into a folder that does not exist")
	}
}

// TestSpoolRoom: what copies take together is bounded, to the byte; a copy that was removed, or
// failed, makes room; and what is known to be too large is refused before a byte is written.
func TestSpoolRoom(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	size := func() int64 { // of a copy, found by bisection
		low, high := int64(1), int64(1<<20)
		for low < high {
			mid := (low + high) / 2
			_, cleanup, err := Spool(ctx, newPipe(500), dir, NewSpoolRoom(mid))
			if err != nil {
				low = mid + 1
				continue
			}
			high = mid
			cleanup()
		}
		return low
	}()
	whole := t.TempDir() + "/whole.nys"
	src := stream.FromMatrix("x", stream.NewMatrix(100, 3))
	room := NewSpoolRoom(2*size + 100)
	var cleanups []func() error
	for range 2 {
		_, cleanup, err := Spool(ctx, newPipe(500), dir, room)
		if err != nil {
			t.Fatal(err)
		}
		cleanups = append(cleanups, cleanup)
	}
	var over *OverRoomError
	_, _, err := Spool(ctx, newPipe(500), dir, room)
	if !errors.As(err, &over) || over.Limit != 2*size+100 || over.Others != 2*size {
		t.Errorf("%v, want an error about %d bytes of which others have %d", err, 2*size+100, 2*size)
	}
	var spool *SpoolError
	if _, _, err := Spool(ctx, src, dir, room); !errors.As(err, &spool) || spool.Needed != 2400 || spool.Written != 0 {
		t.Errorf("%v, want a refusal of 2400 bytes before any is written", err)
	}
	w, err := NewWriter(io.Discard, "to nobody", Schema{Columns: []string{"a", "b", "c"}, Rows: -1, Format: "npy", SpoolDir: dir, SpoolRoom: room})
	if err == nil {
		err = w.Write(&stream.Batch{X: stream.NewMatrix(100, 3)}, 100)
		if err == nil {
			err = w.Commit()
		}
		w.Abort()
	}
	if !errors.As(err, &over) {
		t.Errorf("%v, want an error about what is collected for a pipe", err)
	}
	if err := cleanups[0](); err != nil {
		t.Fatal(err)
	}
	if _, cleanup, err := Spool(ctx, newPipe(500), dir, room); err != nil {
		t.Errorf("there is room again, and %v", err)
	} else {
		cleanup()
	}
	if most := room.Most(); most < 2*size || most > 2*size+100 {
		t.Errorf("at one time copies took %d bytes at most, want %d", most, 2*size)
	}
	// Any room counts, too, and what was given back remains counted.
	counted := NewSpoolRoom(0)
	for range 2 {
		if _, cleanup, err := Spool(ctx, newPipe(500), dir, counted); err != nil {
			t.Fatal(err)
		} else {
			cleanup()
		}
	}
	if counted.Most() != size {
		t.Errorf("one copy after the other took %d bytes at one time, want %d", counted.Most(), size)
	}
	// A file that is written where it stays takes none.
	if w, err := Create(whole, Schema{Columns: []string{"a", "b", "c"}, Rows: 100, SpoolRoom: NewSpoolRoom(1)}); err != nil {
		t.Error(err)
	} else if err := errors.Join(w.Write(&stream.Batch{X: stream.NewMatrix(100, 3)}, 100), w.Commit()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}
