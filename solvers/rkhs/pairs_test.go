package rkhs

import (
	"context"
	"errors"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// spoiled is a source whose reader returns rows together with an error, as for a file that has changed.
type spoiled struct{ stream.Source }

// Open returns such a reader.
func (s spoiled) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.Source.Open(ctx, first)
	return spoiledReader{r}, err
}

type spoiledReader struct{ stream.Reader }

// Read returns rows with an error.
func (r spoiledReader) Read(dst *stream.Batch) (int, error) {
	n, _ := r.Reader.Read(dst)
	return n, errSpoiled
}

var errSpoiled = errors.New("the file was changed")

// TestPairsKeepErrors: an error returned with the last rows of either side ends the pass.
func TestPairsKeepErrors(t *testing.T) {
	good := stream.FromMatrix("x", matrix.New(6, 2))
	for name, d := range map[string]*Data{
		"x":   {x: spoiled{good}, y: good, n: 6},
		"y":   {x: good, y: spoiled{good}, n: 6},
		"lag": {x: spoiled{good}, y: good, lag: 1, n: 5, runs: []run{{}}},
	} {
		r, err := d.pairedSource().Open(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(&stream.Batch{X: matrix.New(6, 4)}); !errors.Is(err, errSpoiled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
