package prepare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Words beside a matrix become numbers if their field is a category. Otherwise a fit that encodes
// categories is rejected, unless the words are carried.
func TestWordsInMemory(t *testing.T) {
	words := stream.Column{Kind: stream.String, Strings: []string{"York", "Bath", "York"}}
	treat := func(f stream.Field, how prepare.Encoding) ([]string, error) {
		rows, err := stream.Beside(stream.FromMatrix("x", randomMatrix(1, 3, 1)), []stream.Field{f, {Name: "y"}}, words,
			stream.Column{Floats: []float64{1, 2, 3}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := prepare.New(t.Context(), stream.Engine{}, rows, prepare.Treatment{Categories: how})
		if err != nil {
			return nil, err
		}
		return p.Info().Columns, nil
	}
	for _, how := range []prepare.Encoding{prepare.EncodeNone, prepare.EncodeOneHot, prepare.EncodeOrdinal} {
		want := map[prepare.Encoding][]string{prepare.EncodeNone: {"x0"}, prepare.EncodeOneHot: {"x0", "town_Bath", "town_York"},
			prepare.EncodeOrdinal: {"x0", "town"}}[how]
		if got, err := treat(stream.Field{Name: "town", Category: true}, how); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %q, %v", how, got, err)
		}
		if got, err := treat(stream.Field{Name: "town", Carried: true}, how); err != nil || len(got) != 1 {
			t.Errorf("%v, carried along: %q, %v", how, got, err)
		}
		_, err := treat(stream.Field{Name: "town"}, how)
		if how == prepare.EncodeNone && err != nil {
			t.Error(err)
		}
		if how != prepare.EncodeNone && (err == nil || !strings.Contains(err.Error(), `column "town": `) || !strings.Contains(err.Error(), "set Category")) {
			t.Errorf("%v: words that are lost: %v", how, err)
		}
	}
}
