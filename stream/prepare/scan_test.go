package prepare_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// scanBlock has a null in every block but the first, and only nulls in the fourth.
func scanBlock(block int64) *prepare.ColumnStats {
	x := randomMatrix(uint64(block), 10, 3)
	if block > 0 {
		x.Data[int(block)%10*x.Stride+1] = math.NaN()
	}
	if block == 3 {
		for i := range x.Data {
			x.Data[i] = math.Inf(1)
		}
	}
	s := prepare.NewColumnStats(3)
	words := stream.Column{Kind: stream.String, Strings: strings.Split("a,b,,\xff,b,a,ü,c,c,c", ",")}
	words.Strings[9] += fmt.Sprint(block)
	if err := s.AddBlock(&stream.Block{Index: block, Start: 10 * block, X: x, Kept: []stream.Column{words}}); err != nil {
		panic(err)
	}
	return s
}

func TestColumnStatsConformance(t *testing.T) {
	conformance.Run(t, func() *prepare.ColumnStats { return prepare.NewColumnStats(3) }, scanBlock, 11)
}

// statsBytes returns an encoded state.
func statsBytes(t testing.TB) []byte {
	t.Helper()
	data, err := scanBlock(2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Damaged or contradictory states are errors.
func TestColumnStatsHostileBytes(t *testing.T) {
	good := statsBytes(t)
	with := func(at int, v uint64) []byte {
		data := bytes.Clone(good)
		binary.LittleEndian.PutUint64(data[8*at:], v)
		return data
	}
	if err := prepare.NewColumnStats(3).UnmarshalBinary(good); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"nothing":             nil,
		"cut in the head":     good[:17],
		"cut":                 good[:len(good)-1],
		"longer":              append(bytes.Clone(good), 0),
		"policy":              with(0, 256+uint64(prepare.NullsDrop)),
		"negative rows":       with(1, math.MaxUint64),
		"fewer rows":          with(1, 3),
		"huge blocks":         with(3, 1<<62),
		"negative blocks":     with(3, math.MaxUint64),
		"huge columns":        with(4, math.MaxInt64/40+1),
		"negative columns":    with(4, 1<<63),
		"too many rows left":  with(5, 11),
		"negative rows left":  with(5, math.MaxUint64),
		"negative count":      with(6, math.MaxUint64),
		"more values":         with(6, 11),
		"blocks that overlap": with(3, 1+5*3),
	} {
		if prepare.NewColumnStats(3).UnmarshalBinary(data) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if prepare.NewColumnStats(2).UnmarshalBinary(good) == nil {
		t.Error("accepted statistics of another number of columns")
	}
}

func FuzzColumnStats(f *testing.F) {
	f.Add(statsBytes(f))
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := prepare.NewColumnStats(3)
		if s.UnmarshalBinary(data) != nil {
			return
		}
		again, err := s.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("accepted %x, which is written as %x, %v", data, again, err)
		}
	})
}
