package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// number is a float64 that is null in JSON when it is not finite.
type number float64

// MarshalJSON writes a finite number, or null.
func (v number) MarshalJSON() ([]byte, error) {
	if f := float64(v); f-f != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func numbers(v []float64) []number {
	out := make([]number, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}

// optional is nil, which JSON leaves out, for what is not known.
func optional(v float64) *number {
	if math.IsNaN(v) {
		return nil
	}
	n := number(v)
	return &n
}

// text is a result as a person reads it: a title and lines of a name and a
// value. A line without a name continues the one before.
type text struct {
	title string
	lines [][2]string
}

func (t *text) add(name, format string, args ...any) {
	t.lines = append(t.lines, [2]string{name, fmt.Sprintf(format, args...)})
}

// print writes a result to the standard output: v as JSON, or t. Output files
// are complete by then, and stay when it fails.
func (a *app) print(v any, t *text) error {
	a.progress.clear()
	if err := a.encode(v, t); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *app) encode(v any, t *text) error {
	if a.json() {
		return json.NewEncoder(a.out).Encode(v)
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(w, t.title)
	for _, l := range t.lines {
		fmt.Fprintf(w, "  %s\t%s\n", l[0], l[1])
	}
	return w.Flush()
}

// someValues shows the first values and the last.
func someValues(v []float64) string {
	const most = 6
	var words []string
	for i, x := range v {
		switch {
		case i < most-1 || i == len(v)-1 || len(v) <= most:
			words = append(words, fmt.Sprintf("%.4g", x))
		case i == most-1:
			words = append(words, "…")
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, "  ")
}

func count(n int64) string { return humanize.Comma(n) }

func bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// seconds shows a time.
func seconds(s float64) string {
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
