package family

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// rows returns n distinct rows of two numbers.
func rows(n int) stream.Gatherer {
	m := matrix.New(n, 2)
	for i := range m.Data {
		m.Data[i] = math.Sqrt(float64(i))
	}
	return stream.FromMatrix("rows", m)
}

// TestResolve: words become numbers from a sample that depends on the seed. A kernel without words reads no rows.
// Unsuitable rows are an error about the data.
func TestResolve(t *testing.T) {
	ctx, src := context.Background(), passcount.New(rows(3000))
	d := model.Sources{Left: src}
	words, err := kernelgen.Parse("rbf(sigma=median)")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, seed := range []uint64{1, 2, 1} {
		k, err := Resolve(ctx, stream.Engine{}, d, words, seed)
		if err != nil || !k.Resolved() {
			t.Fatal(err)
		}
		texts[k.String()] = true
	}
	if len(texts) != 2 {
		t.Errorf("two seeds give %d kernels", len(texts))
	}
	apart := matrix.New(50, 2)
	for i := range apart.Data {
		apart.Data[i] = 1e200 * float64(i)
	}
	var fault *stream.DataError
	if _, err := Resolve(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix("apart", apart)}, words, 1); !errors.As(err, &fault) {
		t.Errorf("rows too far apart: %v", err)
	}
	if _, err := Resolve(ctx, stream.Engine{}, model.Sources{Left: unread{}}, kernelgen.RBF(1), 1); err != nil {
		t.Errorf("a kernel without words: %v", err)
	}
}

// unread is a source of known shape that can be read only once.
type unread struct{ stream.Source }

// Info reports that the source can be read only once.
func (unread) Info() stream.Info {
	return stream.Info{Name: "unread", Rows: 5, Columns: []string{"a", "b"}, OnePass: true}
}
