package rows

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// wrapped hides all methods of a source except those of the interface.
type wrapped struct{ stream.Source }

// A budget counts the open files of a wrapped source, and a model keeps its column positions.
func TestPlanOfWrappedSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("a,b,c\n1,2,3\n4,5,6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := app.New(t.Context(), strings.NewReader(""), os.Stdout, os.Stderr)
	d := DataFlags{Columns: []string{"c", "b"}}
	in, err := d.Open(context.Background(), a, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	e, p := stream.Engine{Threads: 1}, prepare.Preparation{Columns: []string{"b"}}
	bytes, at := HeldBy(e, []*Input{in}), in.Positions(p)
	if bytes < 1<<10 || len(at.Positions) != 1 || at.Positions[0] != 1 || at.Width != 3 {
		t.Fatalf("%d bytes, positions %v", bytes, at)
	}
	in.Source = passcount.New(wrapped{in.Source.Source})
	if got := HeldBy(e, []*Input{in}); got != bytes {
		t.Errorf("%d bytes are held by the files of a wrapped source, and %d by those of the source", got, bytes)
	}
	if got := in.Positions(p); len(got.Positions) != 1 || got.Positions[0] != 1 {
		t.Errorf("positions %v of a wrapped source", got)
	}
}
