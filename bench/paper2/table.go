package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// table is one table of results: printed as Markdown, written as Markdown and CSV.
type table struct {
	file  string // without extension
	title string
	notes []string // paragraphs below the table
	head  []string
	rows  [][]string
}

func (t *table) add(cells ...any) {
	var r []string
	for _, c := range cells {
		switch v := c.(type) {
		case float64:
			r = append(r, figure(v))
		default:
			r = append(r, fmt.Sprint(v))
		}
	}
	t.rows = append(t.rows, r)
}

// figure is a number with three digits, or a dash.
func figure(v float64) string {
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

func (t *table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n| %s |\n|%s\n", t.title, strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	for _, n := range t.notes {
		b.WriteString("\n" + n + "\n")
	}
	return b.String()
}

// write prints the table and writes both files.
func (t *table) write(dir string) error {
	fmt.Println(t.markdown())
	if err := os.WriteFile(filepath.Join(dir, t.file+".md"), []byte(t.markdown()), 0o666); err != nil {
		return err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(append([][]string{t.head}, t.rows...)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, t.file+".csv"), []byte(b.String()), 0o666)
}
