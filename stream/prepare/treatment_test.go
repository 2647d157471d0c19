package prepare_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// mixedTable has numbers with nulls, two categories with nulls and empty words, and between them an
// identifier that is carried.
func mixedTable(seed uint64, n int) *table {
	x := randomMatrix(seed, n, 3)
	first, second := stream.Column{Kind: stream.String}, stream.Column{Kind: stream.String}
	id := stream.Column{Kind: stream.Int64}
	for i := range n {
		if (i+int(seed))%7 == 3 {
			x.Data[i*x.Stride+1] = math.NaN()
		}
		x.Data[i*x.Stride+2] = float64((i * i) % 5) // ties
		first.Strings = append(first.Strings, []string{"b", "a", "", "\xff", "é"}[(i*7+int(seed))%5])
		first.Valid = append(first.Valid, i%11 != 4)
		second.Strings = append(second.Strings, strconv.Itoa(i%3))
		id.Ints = append(id.Ints, int64(i))
	}
	s := newTable("mixed", x)
	s.info.Columns = []string{"p", "q", "r"}
	s.info.Kept = []stream.Field{{Name: "c", Kind: stream.String, Category: true}, {Name: "id", Kind: stream.Int64},
		{Name: "e", Kind: stream.String, Category: true, Carried: true}}
	s.kept = []stream.Column{first, id, second}
	return s
}

// encoded returns the documented encoding of categories and missing values of a mixed table,
// unscaled.
func encoded(s *table, t prepare.Treatment) (rows [][]float64) {
	var sum, count float64
	for i := range s.x.Rows {
		if v := s.x.Data[i*s.x.Stride+1]; finite(v) {
			sum, count = sum+v, count+1
		}
	}
	levels := [][]string{{"a", "b", "é", "\uFFFD"}, {"0", "1", "2"}}
	for i := range s.x.Rows {
		x := slices.Clone(matrix.Row(s.x, i))
		missing := 0.0
		if !finite(x[1]) {
			x[1], missing = sum/count, 1
		}
		for k, place := range []int{0, 2} {
			word := s.kept[place].Strings[i]
			if s.kept[place].Null(i) {
				word = ""
			}
			if word == "\xff" {
				word = "\uFFFD"
			}
			level := slices.Index(levels[k], word)
			if t.Categories == prepare.EncodeOrdinal {
				x = append(x, float64(level))
				continue
			}
			for l := range levels[k] {
				x = append(x, map[bool]float64{true: 1}[l == level])
			}
		}
		rows = append(rows, append(x, missing))
	}
	return rows
}

// scaledPlainly scales the first d columns by sorting and summing.
func scaledPlainly(rows [][]float64, d int, scale prepare.Scaling) {
	for j := range d {
		var v []float64
		mean, square := 0.0, 0.0
		for _, x := range rows {
			v, mean = append(v, x[j]), mean+x[j]/float64(len(rows))
		}
		for _, x := range v {
			square += (x - mean) * (x - mean) / float64(len(v))
		}
		sort.Float64s(v)
		last := len(v) - 1
		for _, x := range rows {
			switch scale {
			case prepare.ScaleStandard:
				x[j] = (x[j] - mean) / math.Sqrt(square)
			case prepare.ScaleMinMax:
				x[j] = (x[j] - v[0]) / (v[last] - v[0])
			case prepare.ScaleQuantile: // all rows are knots, so the rank is the mean rank of equal values
				from, to := sort.SearchFloat64s(v, x[j]), sort.SearchFloat64s(v, math.Nextafter(x[j], math.Inf(1)))-1
				switch {
				case from == 0:
					x[j] = 0
				case to == last:
					x[j] = 1
				default:
					x[j] = float64(from+to) / 2 / float64(last)
				}
			}
		}
	}
}

// Prepared rows equal a direct implementation of the documentation: in passes with any threads and
// block sizes, gathered, and one at a time.
func TestTreatmentsEqualTheirDocumentation(t *testing.T) {
	for _, scale := range []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax,
		prepare.ScaleQuantile} {
		for _, how := range []prepare.Encoding{prepare.EncodeOneHot, prepare.EncodeOrdinal} {
			t.Run(fmt.Sprint(scale, " ", how), func(t *testing.T) {
				treatment := prepare.Treatment{Nulls: prepare.NullsIndicator, Scale: scale, Categories: how}
				s := mixedTable(3, 400)
				want := encoded(s, treatment)
				scaled := 3
				if how == prepare.EncodeOrdinal {
					scaled = 5
				}
				scaledPlainly(want, scaled, scale)
				for _, e := range []stream.Engine{{Threads: 1, BlockRows: 400}, {Threads: 3, BlockRows: 7}} {
					checkTreatment(t, e, s, treatment, want)
				}
			})
		}
	}
}

// checkTreatment compares passes, gathering and single rows of a treatment with want.
func checkTreatment(t *testing.T, e stream.Engine, s *table, treatment prepare.Treatment, want [][]float64) {
	t.Helper()
	ctx := context.Background()
	p, err := prepare.New(ctx, e, s, treatment)
	if err != nil {
		t.Fatal(err)
	}
	rows, kept := readAll(t, p)
	if info := p.Info(); len(info.Columns) != len(want[0]) || len(info.Kept) != 2 || info.Kept[0].Name != "id" ||
		info.Kept[1].Name != "e" || kept[0].Ints[5] != 5 {
		t.Fatalf("columns %v, kept %v", info.Columns, info.Kept)
	}
	for i, x := range rows {
		for j, v := range x {
			if !(math.Abs(v-want[i][j]) <= 1e-12*(1+math.Abs(want[i][j]))) {
				t.Fatalf("row %d, column %s is %v, not %v", i, p.Info().Columns[j], v, want[i][j])
			}
		}
	}
	if found := p.CategoryCounts(); found[0].Nulls != nullsOf(s) || found[0].Levels != 4 || found[0].Unseen != 0 {
		t.Errorf("found %+v", found)
	}
	gathered, err := stream.GatherRows(ctx, p, []int64{0, 17, 399})
	if err != nil {
		t.Fatal(err)
	}
	single, err := p.Preparation.Rows(3)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]float64, single.Width())
	for at, i := range []int{0, 17, 399} {
		word := s.kept[0].Strings[i]
		if s.kept[0].Null(i) {
			word = ""
		}
		if err := single.Prepare(one, matrix.Row(s.x, i), word, s.kept[2].Strings[i]); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(matrix.Row(gathered, at), rows[i]) || !slices.Equal(one, rows[i]) {
			t.Errorf("row %d is %v when gathered, %v alone, %v in a pass", i, matrix.Row(gathered, at), one, rows[i])
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = single.Prepare(one, matrix.Row(s.x, 3), "a", "1") }); n > 0 {
		t.Errorf("a row allocates %v times", n)
	}
}

// nullsOf counts the nulls and empty words of the first category.
func nullsOf(s *table) (n int64) {
	for i, word := range s.kept[0].Strings {
		if word == "" || s.kept[0].Null(i) {
			n++
		}
	}
	return n
}

// New rows may have the columns in another order, among others, and with unknown words.
func TestApplyByName(t *testing.T) {
	ctx, e := context.Background(), stream.Engine{BlockRows: 16}
	fit := mixedTable(1, 100)
	p, err := prepare.New(ctx, e, fit, prepare.Treatment{Nulls: prepare.NullsIndicator,
		Scale: prepare.ScaleQuantile, Categories: prepare.EncodeOneHot})
	if err != nil {
		t.Fatal(err)
	}
	how := p.Preparation
	how.Columns = []string{"p", "q", "r"}
	x := matrix.New(100, 4)
	for i := range 100 {
		raw := matrix.Row(fit.x, i)
		copy(matrix.Row(x, i), []float64{raw[2], -1, raw[0], raw[1]})
	}
	other := newTable("other", x)
	other.info.Columns = []string{"r", "more", "p", "q"}
	other.info.Kept = []stream.Field{{Name: "e", Kind: stream.String}, {Name: "c", Kind: stream.String}}
	other.kept = []stream.Column{fit.kept[2], fit.kept[0]}
	applied, err := how.Apply(ctx, e, other)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := readAll(t, p)
	got, kept := readAll(t, applied)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(kept) != 2 {
		t.Errorf("rows differ by name and by position; %d kept", len(kept))
	}
	other.kept[0].Strings = slices.Repeat([]string{"new"}, 100)
	if applied, err = how.Apply(ctx, e, other); err != nil {
		t.Fatal(err)
	}
	got, _ = readAll(t, applied)
	if f := applied.CategoryCounts(); f[1].Unseen != 100 || f[0].Nulls != nullsOf(fit) || got[7][7]+got[7][8]+got[7][9] != 0 {
		t.Errorf("found %+v, row 7 is %v", f, got[7])
	}
	other.info.Columns[3] = "z"
	_, err = how.Apply(ctx, e, other)
	checkError(t, err, "other", "no column of numbers called", "q")
	other.info.Columns[3], other.info.Kept[1].Kind = "q", stream.Float64
	_, err = how.Apply(ctx, e, other)
	checkError(t, err, "other", `column "c" holds numbers`)
	other.info.Kept[1].Name = "d"
	_, err = how.Apply(ctx, e, other)
	checkError(t, err, "other", "no column of text called", "c")
}

// Columns of identifiers are rejected as categories, and one error names all of them.
func TestLevelsAreLimited(t *testing.T) {
	for _, n := range []int{prepare.MaxLevels, prepare.MaxLevels + 1, 100000} {
		s := newTable("ids.csv", matrix.New(n, 1))
		s.info.Kept = []stream.Field{{Name: "user id", Kind: stream.String, Category: true}, {Name: "few", Kind: stream.String, Category: true},
			{Name: "card", Kind: stream.String, Category: true}}
		s.kept = []stream.Column{{Kind: stream.String}, {Kind: stream.String}, {Kind: stream.String}}
		for i := range n {
			for k, word := range []string{fmt.Sprint("u", i), "one", fmt.Sprint("c", i)} {
				s.kept[k].Strings = append(s.kept[k].Strings, word)
			}
		}
		p, err := prepare.New(context.Background(), stream.Engine{}, s, prepare.Treatment{Categories: prepare.EncodeOneHot})
		if n == prepare.MaxLevels {
			if err != nil || len(p.Info().Columns) != 2+2*n {
				t.Errorf("%d levels: %v", n, err)
			}
			continue
		}
		checkError(t, err, "ids.csv", `column "user id"`, "levels", "1000", `column "card"`, "leave them out with `Options.Columns '!user id,!card'`")
	}
}

// The sample of many rows is the same for any threads and block sizes, and its quantiles are close
// to those of all rows.
func TestQuantilesOfSamples(t *testing.T) {
	x := randomMatrix(5, 60000, 2)
	for i := range x.Rows {
		x.Data[i*x.Stride+1] = math.Abs(x.Data[i*x.Stride+1])
	}
	var first prepare.Preparation
	for _, threads := range []int{1, 3} {
		p, err := prepare.New(context.Background(), stream.Engine{Threads: threads, BlockRows: 512},
			stream.FromMatrix("x", x), prepare.Treatment{Scale: prepare.ScaleQuantile})
		if err != nil {
			t.Fatal(err)
		}
		if first.Knots.Rows == 0 {
			first = p.Preparation
		}
		if !slices.Equal(first.Knots.Data, p.Knots.Data) || p.Knots.Cols != 1000 {
			t.Error("knots depend on threads")
		}
		rows, _ := readAll(t, p)
		for j := range 2 {
			var v []float64
			for _, r := range rows {
				v = append(v, r[j])
			}
			slices.Sort(v)
			for _, q := range []float64{.01, .25, .5, .75, .99} {
				if got := v[int(q*60000)]; math.Abs(got-q) > .02 {
					t.Errorf("column %d: quantile %v is mapped to %v", j, q, got)
				}
			}
		}
	}
}

// Whatever the values are, prepared rows are finite, or an error gives the reason.
func TestNastyTreatments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		value := rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.MaxFloat64, -math.MaxFloat64,
			5e-324, 1e-300, 3})
		x := matrix.New(n, 2)
		word := stream.Column{Kind: stream.String}
		for i := range n {
			x.Data[2*i], x.Data[2*i+1] = value.Draw(t, "x"), value.Draw(t, "y")
			word.Strings = append(word.Strings, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "word"))
		}
		s := newTable("x", x)
		s.info.Kept, s.kept = []stream.Field{{Name: "w", Kind: stream.String, Category: true}}, []stream.Column{word}
		treatment := prepare.Treatment{
			Nulls: rapid.SampledFrom([]prepare.Nulls{prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean,
				prepare.NullsIndicator}).Draw(t, "nulls"),
			Scale: rapid.SampledFrom([]prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax,
				prepare.ScaleQuantile}).Draw(t, "scale"),
			Categories: rapid.SampledFrom([]prepare.Encoding{prepare.EncodeOneHot, prepare.EncodeOrdinal}).Draw(t, "categories")}
		p, err := prepare.New(context.Background(), stream.Engine{BlockRows: 4}, s, treatment)
		if err != nil {
			return
		}
		rows, _, err := tryReadAll(p)
		if err != nil {
			return
		}
		for i, r := range rows {
			for j, v := range r {
				if !finite(v) || treatment.Scale == prepare.ScaleQuantile && !(v >= 0 && v <= 1) {
					t.Fatalf("row %d, column %d is %v", i, j, v)
				}
			}
		}
	})
}
