package app

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// Provenance describes how a file was made. It is stored in meta.json of models and, under the key "nystream", in the
// metadata of Parquet and Arrow files. It omits threads, memory and shards, which do not affect the file.
type Provenance struct {
	Version string             `json:"version"`           // of the program
	Command string             `json:"command"`           // without credentials and flags that affect no result
	Build   string             `json:"build"`             // of the program, as in nystream --version
	Sources []ProvenanceSource `json:"sources,omitempty"` // the input of a fit or of a transform
	Model   string             `json:"model,omitempty"`   // the command that made the model of the rows
	Errors  []report.FitError  `json:"errors,omitempty"`  // estimated, relative to the exact result
}

// ProvenanceSource is an input in a [Provenance].
type ProvenanceSource struct {
	Name    string   `json:"name"`
	Formats []string `json:"formats,omitempty"`
	Rows    int64    `json:"rows"` // number of rows used; -1 if unknown
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

// Describe adds lines about the origin of a model.
func (m *Provenance) Describe(t *report.Report) {
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

// Metadata returns the metadata for files of rows.
func (m *Provenance) Metadata() map[string]string {
	if m == nil {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("nystream: " + err.Error()) // cannot fail: words and numbers only
	}
	return map[string]string{"nystream": string(text)}
}
