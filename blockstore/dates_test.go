package blockstore

import (
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// someMoments are times before and after 1970, on leap days and at ends of years. The last one is null.
var someMoments = []time.Time{
	time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 1, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(1900, 3, 1, 12, 30, 45, 123_456_789, time.UTC), time.Date(2100, 12, 31, 6, 0, 0, 0, time.UTC), time.Date(2023, 12, 31, 23, 0, 0, 500_000_000, time.UTC), {},
}

// momentTypes are the column types of the test file, which are also the names of the columns.
var momentTypes = []string{"date", "timestamp(s)", "timestamp(ms)", "timestamp(us)", "timestamp(ns)", "timestamp(us,UTC)", "time(us)", "duration(us)", "float64"}

// momentBatch returns someMoments as kept columns, one for each type.
func momentBatch(t *testing.T) (fields []stream.Field, b *stream.Batch) {
	t.Helper()
	b = &stream.Batch{X: matrix.New(len(someMoments), 0)}
	for _, name := range momentTypes {
		of, err := logical.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		f := stream.FieldOf(strings.Trim(strings.NewReplacer("(", "_", ")", "", ",", "_").Replace(name), "_"), of)
		c := stream.Column{Kind: f.Kind, Type: f.Type}
		for i, m := range someMoments {
			c.Valid = append(c.Valid, !m.IsZero())
			if f.Kind == stream.Float64 {
				c.Floats = append(c.Floats, float64(i)+.5)
				c.Valid[i] = true
				continue
			}
			c.Ints = append(c.Ints, unitsOf(m, of))
		}
		fields, b.Kept = append(fields, f), append(b.Kept, c)
	}
	return fields, b
}

// unitsOf returns the stored integer of a time in the unit of type t, rounded down.
func unitsOf(m time.Time, t logical.Type) int64 {
	if m.IsZero() {
		return 0
	}
	midnight := m.Truncate(24 * time.Hour)
	switch per := t.Unit.PerSecond(); t.Class {
	case logical.Date:
		return int64(midnight.Sub(time.Unix(0, 0)) / (24 * time.Hour))
	case logical.Time:
		return int64(m.Sub(midnight) / time.Duration(1e9/per))
	case logical.Duration:
		return int64(m.Sub(time.Unix(0, 0)) / time.Duration(1e9/per))
	default:
		return m.Unix()*per + int64(m.Nanosecond())/(1e9/per)
	}
}

// exactly returns of/by as the nearest float64.
func exactly(of, by int64) float64 {
	v, _ := new(big.Rat).SetFrac64(of, by).Float64()
	return v
}

// wantedOf returns the expected names and values of the numbers of a time, computed by package time.
func wantedOf(name string, t logical.Type, m time.Time, dates Dates) (names []string, values []float64) {
	v := unitsOf(m, t)
	switch t.Class {
	case logical.Float:
		return []string{name}, nil
	case logical.Time, logical.Duration:
		return []string{name}, []float64{exactly(v, t.Unit.PerSecond())}
	}
	day := int64(24 * 3600)
	if t.Class == logical.Date {
		day, m = 1, m.Truncate(24*time.Hour) // the hour is 0
	}
	if dates == DatesNumber {
		return []string{name}, []float64{exactly(v, day*t.Unit.PerSecond())}
	}
	weekday := map[time.Weekday]float64{time.Monday: 0, time.Tuesday: 1, time.Wednesday: 2, time.Thursday: 3, time.Friday: 4, time.Saturday: 5, time.Sunday: 6}
	return []string{name + ".year", name + ".dayofyear", name + ".weekday", name + ".hour"},
		[]float64{float64(m.Year()), float64(m.YearDay()), weekday[m.Weekday()], float64(m.Hour())}
}

// Dates and times become the same numbers from every format, those computed by package time, or are left out.
func TestDatesAreTheSameInEveryFormat(t *testing.T) {
	t.Parallel()
	fields, b := momentBatch(t)
	dir := t.TempDir()
	for _, dates := range []Dates{DatesNone, DatesNumber, DatesCalendar} {
		var names []string
		rows := make([][]float64, len(someMoments))
		for _, f := range fields {
			if dates == DatesNone && f.Kind != stream.Float64 {
				continue
			}
			for i, m := range someMoments {
				columns, values := wantedOf(f.Name, f.Logical(), m, dates)
				if i == 0 {
					names = append(names, columns...)
				}
				for k := range columns {
					v := math.NaN()
					if f.Kind == stream.Float64 {
						v = float64(i) + .5
					} else if !m.IsZero() {
						v = values[k]
					}
					rows[i] = append(rows[i], v)
				}
			}
		}
		var first []float64
		for _, format := range []string{"parquet", "arrow", "nys", "csv", "jsonl"} {
			path := filepath.Join(dir, "a."+format)
			if dates == DatesNone {
				writeMoments(t, path, fields, b)
			}
			without := ""
			if format == "parquet" { // it has no durations, and integers in their place
				without = "duration_us"
			}
			src, err := Open(t.Context(), []string{path}, Options{Dates: dates, Columns: []string{"!duration_us"}[:len(without)/len("duration_us")]})
			if err != nil {
				t.Fatal(err)
			}
			x, err := filetest.ReadAll(src, 3)
			if err != nil {
				t.Fatal(err)
			}
			var wanted []string
			var numbers []float64
			for i := range rows {
				for k, name := range names {
					if name != without {
						numbers = append(numbers, rows[i][k])
					}
					if name != without && i == 0 {
						wanted = append(wanted, name)
					}
				}
			}
			if diff := cmp.Diff(wanted, src.Info().Columns); diff != "" {
				t.Errorf("%s, %s: %s", format, dates, diff)
			}
			if diff := cmp.Diff(numbers, x.X.Data, withinUnit); diff != "" {
				t.Errorf("%s, %s: %s", format, dates, diff)
			}
			if format == "arrow" {
				first = x.X.Data
			} else if without == "" && cmp.Diff(first, x.X.Data, filetest.SameBits) != "" {
				t.Errorf("%s, %s: other bits than of arrow", format, dates)
			}
			left := fmt.Sprint(src.LeftOut())
			for _, f := range fields {
				if says := fmt.Sprintf("{%s %s}", f.Name, f.Logical().Class); f.Kind != stream.Float64 && f.Name != without && strings.Contains(left, says) != (dates == DatesNone) {
					t.Errorf("%s, %s: left out are %s", format, dates, left)
				}
			}
		}
	}
}

// withinUnit compares float64 up to one unit in the last place.
var withinUnit = cmp.Comparer(func(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Nextafter(a, b) == b
})

// writeMoments writes kept columns to a file.
func writeMoments(t *testing.T, path string, fields []stream.Field, b *stream.Batch) {
	t.Helper()
	w, err := Create(path, Schema{Kept: fields, Rows: int64(b.X.Rows)})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b, b.X.Rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Columns of dates are selected, excluded, kept and matched between files like other columns, and their parts by name.
func TestDatesAreChosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filetest.FileIn(t, dir, "a.csv", "at,x,day,word\n2024-02-29T12:30:00,1,2024-02-29,u\nNA,2,,v\n1969-12-31T23:00:00,3,1969-12-31,w\n")
	filetest.FileIn(t, dir, "later.jsonl", "{\"day\": \"2024-03-01T06:00:00Z\", \"x\": 4, \"at\": null, \"word\": \"u\"}\n")
	filetest.FileIn(t, dir, "empty.csv", "at,x,day,word\n,5,,\n")
	filetest.FileIn(t, dir, "bare.csv", "2024-02-29,1\n1969-12-31,2\n")
	filetest.FileIn(t, dir, "bare2.csv", "2000-01-01,3\n")
	filetest.FileIn(t, dir, "clash.csv", "day,day.year\n2024-02-29,7\n")
	filetest.FileIn(t, dir, "numbers.csv", "at,x,day,word\n1,5,2,u\n")
	copyAs(t, filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.parquet"), Options{Carry: CarryAll, FindTypes: true, NoNumbers: true})
	copyAs(t, filepath.Join(dir, "later.jsonl"), filepath.Join(dir, "later.arrow"), Options{Carry: CarryAll, FindTypes: true, NoNumbers: true})
	nan := math.NaN()
	for _, c := range []struct {
		files, columns, keep string
		dates                Dates
		want                 string // expected columns, or part of the error
		rows                 []float64
		left                 string
	}{
		{"a", "", "", DatesNone, "x", []float64{1, 2, 3}, "[{at timestamp} {day date} {word text}]"},
		{"a", "day", "", DatesNone, "day", []float64{19782, nan, -1}, "[]"},
		{"a", "", "", DatesNumber, "at x day", []float64{19782 + 12.5/24, 1, 19782, nan, 2, nan, -1. / 24, 3, -1}, "[{word text}]"},
		{"a", "x,at", "", DatesNumber, "x at", []float64{1, 19782 + 12.5/24, 2, nan, 3, -1. / 24}, "[]"},
		{"a", "!at,!day.hour", "", DatesCalendar, "x day.year day.dayofyear day.weekday", []float64{1, 2024, 60, 3, 2, nan, nan, nan, 3, 1969, 365, 2}, "[{word text}]"},
		{"a", "at.hour,day.year", "day", DatesCalendar, "at.hour day.year", []float64{12, 2024, nan, nan, 23, 1969}, "[]"},
		{"a", "d*", "", DatesCalendar, "day.year day.dayofyear day.weekday day.hour", []float64{2024, 60, 3, 0, nan, nan, nan, nan, 1969, 365, 2, 0}, "[]"},
		{"a", "*.hour,x", "", DatesCalendar, "at.hour day.hour x", []float64{12, 0, 1, nan, nan, 2, 23, 0, 3}, "[]"},
		{"a later", "x,day", "word", DatesNumber, "x day", []float64{1, 19782, 2, nan, 3, -1, 4, 19783.25}, "[]"},
		{"empty a", "at,x,day", "", DatesNumber, "at x day", []float64{nan, 5, nan, 19782 + 12.5/24, 1, 19782, nan, 2, nan, -1. / 24, 3, -1}, "[]"},
		{"a later empty", "x,day.hour", "", DatesCalendar, "x day.hour", []float64{1, 0, 2, nan, 3, 0, 4, 6, 5, nan}, "[]"},
		{"empty a", "day.year", "", DatesCalendar, "day.year", []float64{nan, 2024, nan, 1969}, "[]"},
		{"bare bare2", "", "", DatesCalendar, "x0.year x0.dayofyear x0.weekday x0.hour x1", []float64{2024, 60, 3, 0, 1, 1969, 365, 2, 0, 2, 2000, 1, 5, 0, 3}, "[]"},
		{"clash", "", "", DatesCalendar, "`Options.Dates number`", nil, ""},
		{"clash", "", "", DatesNumber, "day day.year", []float64{19782, 7}, "[]"},
		{"a numbers", "day", "", DatesNumber, "no dates", nil, ""},
		{"numbers a", "day", "", DatesNumber, "holds dates here and numbers in", nil, ""},
		{"numbers", "day.year", "", DatesCalendar, "day.year", nil, ""},
		{"a", "word", "", DatesNumber, "word", nil, ""},
	} {
		for _, other := range []bool{false, true} { // formats of the same tables
			var paths []string
			for _, name := range strings.Fields(c.files) {
				for _, end := range map[bool][]string{false: {".csv", ".jsonl"}, true: {".parquet", ".arrow", ".csv"}}[other] {
					if found, _ := filepath.Glob(filepath.Join(dir, name+end)); len(found) == 1 {
						paths = append(paths, found[0])
						break
					}
				}
			}
			o := Options{Dates: c.dates}
			if c.columns != "" {
				o.Columns = strings.Split(c.columns, ",")
			}
			if c.keep != "" {
				o.Keep = []string{c.keep}
			}
			src, err := Open(t.Context(), paths, o)
			if c.rows == nil {
				filetest.WantError(t, err, c.want)
				continue
			}
			if err != nil {
				t.Errorf("%v: %v", c, err)
				continue
			}
			x, err := filetest.ReadAll(src, 2)
			if err != nil {
				t.Fatal(err)
			}
			n := x.X.Rows
			if got := strings.Join(src.Info().Columns, " "); got != c.want || fmt.Sprint(src.LeftOut()) != c.left || c.keep != "" && x.Kept[0].Len() != n {
				t.Errorf("%v: columns %s, left out %v", c, got, src.LeftOut())
			}
			if diff := cmp.Diff(c.rows, x.X.Data, withinUnit); diff != "" {
				t.Errorf("%v, %v: %s", c, paths, diff)
			}
			b := &stream.Batch{X: matrix.New(1, len(src.Info().Columns)), Kept: src.Info().NewKept()}
			if err := src.Gather(t.Context(), []int64{int64(n) - 1}, b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.X.Data[len(x.X.Data)-len(b.X.Data):], b.X.Data, filetest.SameBits); diff != "" {
				t.Errorf("%v: gathered: %s", c, diff)
			}
		}
	}
}
