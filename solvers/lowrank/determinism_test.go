package lowrank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// saved returns the bytes of a model for comparison.
func saved(m *Model) string {
	file, err := m.Save()
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	out.Write(file.Header)
	for _, a := range file.Arrays {
		fmt.Fprintln(&out, a.Name, a.Shape, a.Ints)
		for _, v := range a.Floats {
			out.WriteString(strconv.FormatUint(math.Float64bits(v), 16) + " ")
		}
	}
	return out.String()
}

// reload saves and loads a model, and returns its archive too.
func reload(t *testing.T, m *Model) (*Model, *model.Archive) {
	t.Helper()
	file, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(&model.Archive{Header: file.Header, Arrays: file.Arrays})
	if err != nil {
		t.Fatal(err)
	}
	return again, file
}

// withHeader returns an archive with another header.
func withHeader(t *testing.T, file *model.Archive, header any) *model.Archive {
	t.Helper()
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Archive{Header: text, Arrays: file.Arrays}
}

// choppy is a source that reads batches of odd sizes.
type choppy struct {
	stream.Gatherer
	sizes []int
}

// Open returns a reader of such batches.
func (c choppy) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := c.Gatherer.Open(ctx, first)
	return &choppyReader{r, c.sizes, 0}, err
}

type choppyReader struct {
	stream.Reader
	sizes []int
	calls int
}

func (r *choppyReader) Read(dst *stream.Batch) (int, error) {
	n := min(dst.X.Rows, r.sizes[r.calls%len(r.sizes)])
	r.calls++
	k, err := r.Reader.Read(&stream.Batch{X: matrix.Rows(dst.X, 0, n)})
	if err == io.EOF && k < n {
		return k, io.EOF
	}
	return k, err
}

// TestLoadRefusesSinglePrecision: Load refuses models of older versions with entries in float32.
func TestLoadRefusesSinglePrecision(t *testing.T) {
	f, err := Landmark{Rank: 3}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", clusters(60, 3, 1))}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	a.Header = bytes.Replace(a.Header, []byte(`"rank":`), []byte(`"precision":"float32","rank":`), 1)
	if _, err := Load(a); err == nil || !strings.Contains(err.Error(), "fit the model again") {
		t.Errorf("the model loads with error %v", err)
	}
}
