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

// someMoments are, before and after 1970, on leap days and at the ends of years; the last one is null.
var someMoments = []time.Time{
	time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 1, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(1900, 3, 1, 12, 30, 45, 123_456_789, time.UTC), time.Date(2100, 12, 31, 6, 0, 0, 0, time.UTC), time.Date(2023, 12, 31, 23, 0, 0, 500_000_000, time.UTC), {},
}

// momentTypes are the types of the columns of the file, by their names.
var momentTypes = []string{"date", "timestamp(s)", "timestamp(ms)", "timestamp(us)", "timestamp(ns)", "timestamp(us,UTC)", "time(us)", "duration(us)", "float64"}

// momentBatch returns someMoments as kept columns.
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

// unitsOf returns what a file has of a moment, rounded down.
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

// exactly returns a fraction as the nearest float64.
func exactly(of, by int64) float64 {
	v, _ := new(big.Rat).SetFrac64(of, by).Float64()
	return v
}

// wantedOf returns the names and values of the numbers of a moment.
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

// Dates and times become the same numbers from every format, those that package time says, or are left out.
func TestDates(t *testing.T) {
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

// withinUnit compares numbers but for one unit in the last place.
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
