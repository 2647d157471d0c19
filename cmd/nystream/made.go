package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// made says how a file came to be. It stands in meta.json of models and, under the key
// "nystream", in the metadata of Parquet and Arrow files. The threads, the memory and the
// shards of a run are not in it: they change nothing of a file, and so not this either.
type made struct {
	Version string       `json:"version"`           // of the program
	Command string       `json:"command"`           // without credentials, and without what changes no result
	Sources []madeSource `json:"sources,omitempty"` // what a model was fitted to
	Errors  []fitError   `json:"errors,omitempty"`  // estimated, relative to what is exact
	Units   *madeUnits   `json:"units,omitempty"`
}

type madeSource struct {
	Name    string `json:"name"`
	Rows    int64  `json:"rows"` // that the fit had
	Columns int    `json:"columns"`
}

// madeUnits says in which units numbers are.
type madeUnits struct {
	Columns string `json:"columns"` // of the rows that the kernel sees
	Errors  string `json:"errors"`
}

// made returns how the files of this command line are made, or nil if they are not to tell.
func (a *app) made() *made {
	if !a.provenance {
		return nil
	}
	return &made{Version: version, Command: a.plainCommand()}
}

// notMade are flags that change no number in a file.
var notMade = append([]string{"provenance", "stall"}, slices.DeleteFunc(slices.Clone(ofProcess), func(name string) bool {
	return slices.Contains([]string{"right", "with", "matrix"}, name)
})...)

// plainCommand returns the command line, its flags in one order, with those of the
// environment and of settings, and without those that change no number in a file.
func (a *app) plainCommand() string {
	words := a.cmd.CommandPath()
	for _, arg := range a.cmd.Flags().Args() {
		words += " " + show.ShellLine([]string{arg})
	}
	a.cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(notMade, f.Name) {
			words += " " + show.ShellLine([]string{"--" + f.Name + "=" + flagValue(f)})
		}
	})
	return words + fmt.Sprintf(" --seed=%d", a.seed)
}

// describe adds lines about how a model was made.
func (m *made) describe(t *show.Text) {
	if m == nil {
		return
	}
	t.Add("made by", "nystream %s: %s", m.Version, m.Command)
	for _, s := range m.Sources {
		t.Add("made from", "%s: %s rows of %d columns", s.Name, show.Count(s.Rows), s.Columns)
	}
	addErrors(t, m.Errors)
}

// about returns what files of rows say of themselves.
func (m *made) about() map[string]string {
	if m == nil {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("nystream: " + err.Error()) // words and numbers
	}
	return map[string]string{"nystream": string(text)}
}

// madeBy returns how the files of a fit are made.
func (j *job) madeBy(r *model.Report) *made {
	m := j.app.made()
	if m == nil {
		return nil
	}
	m.Sources = j.madeFrom()
	m.Errors = j.fitErrors(r)
	m.Units = &madeUnits{Columns: "as in the source", Errors: "relative to what is exact"}
	if p := j.prepared.left; p != nil && p.Preparation.Shift != nil {
		m.Units.Columns = "scaled: (x - column_shift) * column_factor"
	}
	return m
}

// madeFrom returns the sources of a fit.
func (j *job) madeFrom() (list []madeSource) {
	for _, in := range []struct {
		opened   *input
		prepared *stream.Prepared
	}{{j.left, j.prepared.left}, {j.sides.right, j.prepared.right}} {
		if in.opened == nil {
			continue
		}
		info := in.opened.Info()
		list = append(list, madeSource{Name: info.Name, Rows: rowsOf(in.opened, in.prepared), Columns: len(info.Columns)})
	}
	return list
}
