package stream_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/stream"
)

// flat has a field of every kind.
type flat struct {
	Size    float64
	Rooms   *uint8 `nystream:"rooms"`
	Garden  bool
	Age     float32
	Town    string
	Street  *string
	Price   float64 `nystream:"price,keep"`
	ID      int64   `nystream:",keep"`
	Comment string  `nystream:"comment,keep"`
	Photo   []byte  `nystream:"-"`
	secret  int
}

// Fields become columns: numbers, categories and kept columns.
func TestFromStructs(t *testing.T) {
	three, street := uint8(3), "High Street"
	src, err := stream.FromStructs("flats", []flat{
		{Size: 50.5, Rooms: &three, Garden: true, Age: 0.5, Town: "York", Street: &street, Price: 7, ID: math.MaxInt64, Comment: "x", secret: 1},
		{Size: -1, Age: 2, Town: "", Price: 8, ID: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	info := src.Info()
	if !slices.Equal(info.Columns, []string{"Size", "rooms", "Garden", "Age"}) || info.Nameless || info.Rows != 2 {
		t.Errorf("%+v", info)
	}
	if want := []stream.Field{{Name: "Town", Kind: stream.String, Category: true}, {Name: "Street", Kind: stream.String, Category: true},
		{Name: "price", Carried: true}, {Name: "ID", Kind: stream.Int64, Carried: true},
		{Name: "comment", Kind: stream.String, Carried: true}}; !reflect.DeepEqual(info.Kept, want) {
		t.Errorf("%+v", info.Kept)
	}
	rows, kept := readAll(t, src)
	if !slices.Equal(rows[0], []float64{50.5, 3, 1, 0.5}) || rows[1][0] != -1 || !math.IsNaN(rows[1][1]) || rows[1][2] != 0 {
		t.Errorf("%v", rows)
	}
	if kept[0].Strings[0] != "York" || kept[1].Strings[0] != street || kept[1].Null(0) || !kept[1].Null(1) ||
		!slices.Equal(kept[2].Floats, []float64{7, 8}) || !slices.Equal(kept[3].Ints, []int64{math.MaxInt64, -1}) {
		t.Errorf("%+v", kept)
	}
	none, err := stream.FromStructs("none", []flat(nil))
	if err != nil || none.Info().Rows != 0 || len(none.Info().Columns) != 4 {
		t.Errorf("no rows: %v", err)
	}
	if _, err := stream.FromStructs("empty", make([]struct{}, 3)); err != nil {
		t.Errorf("no fields: %v", err)
	}
}

// Types that are not rows, and integers that float64 cannot represent, are rejected.
func TestFromStructsRefuses(t *testing.T) {
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := stream.FromStructs("n", []int{1})
	refused(err, "rows are int")
	_, err = stream.FromStructs("n", []struct{ When []int }{})
	refused(err, `field When of struct { When []int } is a []int`)
	_, err = stream.FromStructs("n", []struct {
		A int `nystream:"b"`
		B int `nystream:"b"`
	}{})
	refused(err, `columns called "b"`)
	_, err = stream.FromStructs("n", []struct {
		A int `nystream:"a,kept"`
	}{})
	refused(err, `option "kept"`)
	for _, n := range []int64{1<<53 + 1, math.MaxInt64, math.MinInt64 + 1} {
		_, err = stream.FromStructs("n", []struct{ A int64 }{{1 << 53}, {n}})
		var bad *stream.DataError
		if !errors.As(err, &bad) || bad.Row != 1 || bad.Column != "A" {
			t.Errorf("%d: %v", n, err)
		}
	}
	if _, err := stream.FromStructs("n", []struct{ A int64 }{{1 << 53}, {math.MinInt64}}); err != nil {
		t.Error(err)
	}
}
