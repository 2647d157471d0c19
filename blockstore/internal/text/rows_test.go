package text

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

func TestTextFileThatShrinks(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", "1,2\n3,4\n5,6\n")
	tb, err := openCSV(context.Background(), path, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	if err := os.WriteFile(path, []byte("1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err = filetest.Slurp(src, 2)
	filetest.WantError(t, err, path, "changed")
	filetest.WantError(t, src.(stream.Gatherer).Gather(context.Background(), []int64{1}, filetest.NewBatch(src, 1)), path, "changed")
}

// The error for a file that shrinks during a pass names the row where it was noticed.
func TestTextFileThatShrinksInAPass(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", "1,2\n3,4\n5,6\n")
	tb, err := openCSV(context.Background(), path, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.WriteFile(path, []byte("1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	n, err := r.Read(filetest.NewBatch(src, 10))
	filetest.WantError(t, err, path, "row 2", "12 bytes and has 8", "had 3 rows")
	if n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

func TestCancelledRead(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", "1,2\n3,4\n"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	r, err := src.Open(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Read(filetest.NewBatch(src, 2)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %d, %v", n, err)
	}
}

// An index with too many marks drops every second one in place, and still locates every record.
func TestMarksAreThinned(t *testing.T) {
	const limit = 8
	var x rowIndex
	const length = markBytes / 3 // of a line
	for number := range int64(100) {
		x.keep(mark{number * length, number + 1}, number, limit)
		x.records = number + 1
		if len(x.marks) > limit || cap(x.marks) > 2*limit {
			t.Fatalf("%d marks of %d", len(x.marks), cap(x.marks))
		}
		for record := range x.records {
			if at := x.numbers[x.before(record)]; at > record || record-at >= x.seekCost() {
				t.Fatalf("record %d is read from record %d, lead %d", record, at, x.seekCost())
			}
		}
	}
}
