// Package show is how results are shown: as JSON, and as lines for people.
package show

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/nystream/nystream/internal/matrix"
)

// Number is a float64 that is null in JSON when it is not finite.
type Number float64

// MarshalJSON writes a finite Number, or null.
func (v Number) MarshalJSON() ([]byte, error) {
	if f := float64(v); !matrix.IsFinite(f) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (v *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}

// Numbers returns numbers as a report has them.
func Numbers(v []float64) []Number {
	out := make([]Number, len(v))
	for i, x := range v {
		out[i] = Number(x)
	}
	return out
}

// Optional returns v, or nil for NaN, which JSON leaves out: what is not known.
func Optional(v float64) *Number {
	if math.IsNaN(v) {
		return nil
	}
	n := Number(v)
	return &n
}

// Text is a result as a person reads it: a title and lines of a name and a
// value. A line without a name continues the one before.
type Text struct {
	Title string
	Lines [][2]string
}

// Add adds a line.
func (t *Text) Add(name, format string, args ...any) {
	t.Lines = append(t.Lines, [2]string{name, fmt.Sprintf(format, args...)})
}

// Values returns the first of some values and the last in words.
func Values(v []float64) string {
	return some(len(v), func(i int) string { return fmt.Sprintf("%.4g", v[i]) })
}

// ComplexValues returns the first of some values and the last in words, from their real
// and imaginary parts.
func ComplexValues(re, im []float64) string {
	return some(len(re), func(i int) string {
		if im[i] == 0 {
			return fmt.Sprintf("%.4g", re[i])
		}
		return fmt.Sprintf("%.4g%+.4gi", re[i], im[i])
	})
}

// some returns the words of the first of n things and of the last.
func some(n int, word func(i int) string) string {
	const most = 6
	var words []string
	for i := range n {
		switch {
		case i < most-1 || i == n-1 || n <= most:
			words = append(words, word(i))
		case i == most-1:
			words = append(words, "…")
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, "  ")
}

// Count returns a whole number with its digits in groups.
func Count(n int64) string { return humanize.Comma(n) }

// Bytes returns a size in binary units.
func Bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// Seconds returns a time in a unit that suits it.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

// Words returns the first of some words, with commas.
func Words(words []string) string {
	const most = 12
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// Columns returns the rows of a table as lines, its columns below each other and numbers
// to the right: all but the last column, which is text.
func Columns(rows [][]string) []string {
	widths := make([]int, 0)
	for _, row := range rows {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			if j > 0 {
				b.WriteString("  ")
			}
			if j < len(widths)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)))
			}
			b.WriteString(cell)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// Write writes the title and the lines, the values below each other.
func (t *Text) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(w, t.Title)
	for _, l := range t.Lines {
		fmt.Fprintf(w, "  %s\t%s\n", l[0], l[1])
	}
	return w.Flush()
}
