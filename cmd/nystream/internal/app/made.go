package app

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// Made says how a file came to be. It stands in meta.json of models and, under the key
// "nystream", in the metadata of Parquet and Arrow files. The threads, the memory and the
// shards of a run are not in it: they change nothing of a file, and so not this either.
type Made struct {
	Version string            `json:"version"`           // of the program
	Command string            `json:"command"`           // without credentials, and without what changes no result
	Build   string            `json:"build"`             // of the program, as nystream --version tells it
	Sources []MadeSource      `json:"sources,omitempty"` // what a model was fitted to, or has turned into rows
	Model   string            `json:"model,omitempty"`   // the command that made the model of the rows
	Errors  []report.FitError `json:"errors,omitempty"`  // estimated, relative to what is exact
}

type MadeSource struct {
	Name    string   `json:"name"`
	Formats []string `json:"formats,omitempty"`
	Rows    int64    `json:"rows"` // that were computed with; -1 where that was not known
	Columns int      `json:"columns"`
}

// PlainPath returns a word without credentials, and without the folder of an absolute path.
func PlainPath(word string) string {
	if filepath.IsAbs(word) {
		return filepath.Base(word)
	}
	return object.Hide(word)
}

func plainPaths(words []string) (list []string) {
	for _, word := range words {
		list = append(list, PlainPath(word))
	}
	return list
}

// Describe adds lines about how a model was made.
func (m *Made) Describe(t *report.Report) {
	if m == nil {
		return
	}
	t.Add("made by", "nystream %s: %s", m.Version, m.Command)
	t.Add("build", "%s", m.Build)
	for _, s := range m.Sources {
		t.Add("made from", "%s: %s rows of %d columns%s", s.Name, report.Count(s.Rows), s.Columns, strings.Join(append([]string{""}, s.Formats...), ", "))
	}
	t.AddErrors(m.Errors)
}

// About returns what files of rows say of themselves.
func (m *Made) About() map[string]string {
	if m == nil {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("nystream: " + err.Error()) // words and numbers
	}
	return map[string]string{"nystream": string(text)}
}
