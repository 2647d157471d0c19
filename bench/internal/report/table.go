// Package report writes tables of results as Markdown and CSV.
package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Table is one table of results.
type Table struct {
	File  string // without extension
	Title string
	Notes []string // paragraphs below the table
	Head  []string
	Rows  [][]string
}

// Add adds a row. Numbers are formatted by [Figure].
func (t *Table) Add(cells ...any) {
	var r []string
	for _, c := range cells {
		if v, ok := c.(float64); ok {
			c = Figure(v)
		}
		r = append(r, fmt.Sprint(c))
	}
	t.Rows = append(t.Rows, r)
}

// Figure returns a number with three digits, or a dash for NaN.
func Figure(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v != 0 && math.Abs(v) < 1e-3:
		return fmt.Sprintf("%.1e", v)
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Markdown returns the table as Markdown.
func (t *Table) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	for _, n := range t.Notes {
		b.WriteString("\n" + n + "\n")
	}
	return b.String()
}

// Write prints the table, and saves it.
func (t *Table) Write(dir string) error {
	fmt.Println(t.Markdown())
	return t.Save(dir)
}

// Save writes the table to a folder as Markdown and as CSV.
func (t *Table) Save(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, t.File+".md"), []byte(t.Markdown()), 0o666); err != nil {
		return err
	}
	var b strings.Builder
	if err := csv.NewWriter(&b).WriteAll(append([][]string{t.Head}, t.Rows...)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, t.File+".csv"), []byte(b.String()), 0o666)
}
