package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream/prepare"
)

// used is what a run took.
type used struct {
	Seconds      show.Number `json:"seconds"`
	PeakRSSBytes int64       `json:"peak_rss_bytes"`
}

func (a *app) used() used { return used{show.Number(a.seconds()), peakRSS()} }

func (u used) String() string {
	return show.Seconds(float64(u.Seconds)) + ", peak memory " + show.Bytes(u.PeakRSSBytes)
}

// rowsResult is what verbs that write rows print as JSON.
type rowsResult struct {
	Model       string                  `json:"model,omitempty"`
	Rows        int64                   `json:"rows"`
	RowsDropped int64                   `json:"rows_dropped"`
	Categories  []prepare.CategoryCount `json:"categories,omitempty"`
	Passes      map[string]int          `json:"passes"`
	used
	Output string `json:"output,omitempty"`
}

// printRows prints a result, of which r is a part, with lines about the rest.
func (a *app) printRows(r *rowsResult, all any, rest func(t *show.Text)) error {
	r.used = a.used()
	t := &show.Text{Title: outputName(r.Output)}
	if r.Output == "" {
		t.Title = "predictions of " + r.Model
	}
	t.Add("rows", "%s", show.Count(r.Rows))
	rest(t)
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	addCategories(t, r.Categories)
	t.Add("work", "%v", r.used)
	return a.print(all, t)
}

// print writes a result to the standard output, or if that carries rows to the standard
// error: v as JSON, or t. Output files
// are complete by then, and stay when it fails.
func (a *app) print(v any, t *show.Text) error {
	a.progress.clear()
	if err := a.encode(v, t); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *app) encode(v any, t *show.Text) error {
	if a.json() {
		return json.NewEncoder(a.reportTo()).Encode(v)
	}
	return t.Write(a.reportTo())
}

// addCategories adds a line about columns of text: their levels, and the words that are none.
func addCategories(t *show.Text, list []prepare.CategoryCount) {
	var words []string
	for _, c := range list {
		text := fmt.Sprintf("%s %s", quote.Bare(c.Column), countedOf(c.Levels, "level", "levels"))
		if c.Nulls > 0 {
			text += fmt.Sprintf(", %s", countedOf(int(c.Nulls), "null", "nulls"))
		}
		if c.Unseen > 0 {
			text += fmt.Sprintf(", %s not seen in the fit", countedOf(int(c.Unseen), "value", "values"))
		}
		words = append(words, text)
	}
	if len(words) > 0 {
		t.Add("categories", "%s", strings.Join(words, "; "))
	}
}
