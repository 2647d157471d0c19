package filetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// CheckSlots reads a random choice of numbers of a table, one of them twice, into random slots of a
// row, together with integers kept as floats, a constant and a fixed number. It compares all of
// them with the rows of a plain choice.
func CheckSlots(t testing.TB, tb column.Table) {
	t.Helper()
	var numeric []int
	for i, c := range tb.About().Columns {
		if c.Kind.Computable() && !c.ZeroPadded {
			numeric = append(numeric, i)
		}
	}
	if len(numeric) == 0 {
		return
	}
	plain, err := column.ChooseInexact(tb, numeric, nil, column.InexactRound)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := Slurp(plain, 100)
	if err != nil {
		t.Fatal(err)
	}
	random, places := rand.New(rand.NewPCG(8, 9)), placesOf(tb.About(), numeric)
	for round := range 3 {
		c, from, names := randomSlots(tb.About(), numeric, random)
		src, err := column.NewRows(tb, c, names)
		if err != nil {
			t.Fatal(err)
		}
		got, kept, err := Slurp(src, 1+random.IntN(200))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d rows, not %d", len(got), len(want))
		}
		for i, row := range got {
			for slot, at := range from {
				if at < 0 {
					if row[slot] != c.Fixed[0].Value {
						t.Fatalf("row %d: %v in slot %d, which is fixed", i, row[slot], slot)
					}
				} else if !isSame(row[slot], want[i][at]) {
					t.Fatalf("row %d: %v in slot %d, not %v of %q", i, row[slot], slot, want[i][at], plain.Info().Columns[at])
				}
			}
			for k := range kept {
				v := float64(k)
				if at := c.Kept[k].Column; at >= 0 {
					v = want[i][places[at]]
				}
				if !isSame(kept[k].Floats[i], v) || kept[k].Null(i) && !math.IsNaN(v) {
					t.Fatalf("row %d: %v is kept of %q, not %v", i, kept[k].Floats[i], names.Kept[k].Name, v)
				}
			}
		}
		if round == 0 {
			CheckGather(t, src)
		}
	}
}

// placesOf returns, for each column, the offset of its first number in a row of all numeric columns.
func placesOf(about *column.TableInfo, numeric []int) map[int]int {
	at, width := make(map[int]int), 0
	for _, i := range numeric {
		at[i] = width
		width += about.Columns[i].Width
	}
	return at
}

// randomSlots returns a random choice of numeric columns. from gives, for each slot, the index of
// its number in a row of all numeric columns, -1 for the fixed number.
func randomSlots(about *column.TableInfo, numeric []int, random *rand.Rand) (c column.Choice, from []int, names stream.Info) {
	c.Inexact = column.InexactRound
	at := placesOf(about, numeric)
	add := func(i int, share float64) {
		c.Numeric = append(c.Numeric, i)
		for part := range about.Columns[i].Width {
			slot := -1
			if about.Columns[i].Kind != column.Vector || random.Float64() < share {
				slot = len(from)
				from = append(from, at[i]+part)
			}
			c.Slot = append(c.Slot, slot)
		}
	}
	for _, k := range random.Perm(len(numeric)) {
		if random.IntN(4) > 0 {
			add(numeric[k], 0.5)
		}
	}
	add(numeric[random.IntN(len(numeric))], 1)
	from = append(from, -1)
	shuffled, moved := random.Perm(len(from)), make([]int, len(from))
	for k, slot := range c.Slot {
		if slot >= 0 {
			c.Slot[k], moved[shuffled[slot]] = shuffled[slot], from[slot]
		}
	}
	last := shuffled[len(from)-1]
	c.Fixed, moved[last] = []column.Fixed{{Slot: last, Value: 42.5}}, -1
	names.Columns = stream.NumberedColumns(len(from))
	for _, i := range numeric {
		if k := about.Columns[i].Kind; k == column.Integer || k == column.Number && random.IntN(3) == 0 {
			c.Kept = append(c.Kept, column.Kept{Column: i})
		}
	}
	k := len(c.Kept)
	c.Kept = append(c.Kept, column.Kept{Column: -1, Constant: &stream.Column{Floats: []float64{float64(k)}}})
	if k > 0 { // not always the last one
		other := random.IntN(k)
		c.Kept[k], c.Kept[other] = c.Kept[other], c.Kept[k]
		c.Kept[other].Constant.Floats[0] = float64(other)
	}
	for k := range c.Kept {
		names.Kept = append(names.Kept, stream.Field{Name: fmt.Sprint("kept", k)})
	}
	return c, moved, names
}
