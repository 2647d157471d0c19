package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// made says how a file came to be. It stands in meta.json of models and, under the key
// "nystream", in the metadata of Parquet and Arrow files. The threads, the memory and the
// shards of a run are not in it: they change nothing of a file, and so not this either.
type made struct {
	Version string            `json:"version"`           // of the program
	Command string            `json:"command"`           // without credentials, and without what changes no result
	Build   string            `json:"build"`             // of the program, as nystream --version tells it
	Sources []madeSource      `json:"sources,omitempty"` // what a model was fitted to, or has turned into rows
	Model   string            `json:"model,omitempty"`   // the command that made the model of the rows
	Errors  []report.FitError `json:"errors,omitempty"`  // estimated, relative to what is exact
}

type madeSource struct {
	Name    string   `json:"name"`
	Formats []string `json:"formats,omitempty"`
	Rows    int64    `json:"rows"` // that were computed with; -1 where that was not known
	Columns int      `json:"columns"`
}

// made returns how the files of this command line are made, or nil if they are not to tell.
func (a *app) made() *made {
	if !a.provenance {
		return nil
	}
	return &made{Version: version, Build: build(), Command: a.plainCommand()}
}

// plainCommand returns the command line, its flags in one order, with those of the environment
// and of settings, without those that change no number in a file, and absolute paths as names.
func (a *app) plainCommand() string {
	words := append(strings.Fields(a.cmd.CommandPath()), plainPaths(a.args)...)
	flags.New(a.cmd).VisitGiven(func(f *flags.Flag) {
		value := plainPath(f.Text())
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = flags.ListText(plainPaths(list.GetSlice()))
		}
		if f.Name != "seed" && (f.Effect == flags.Result || f.Effect == flags.Locates) {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return report.ShellLine(append(words, fmt.Sprintf("--seed=%d", a.seed)))
}

// plainPath returns a word without credentials, and without the folder of an absolute path.
func plainPath(word string) string {
	if filepath.IsAbs(word) {
		return filepath.Base(word)
	}
	return object.Hide(word)
}

func plainPaths(words []string) (list []string) {
	for _, word := range words {
		list = append(list, plainPath(word))
	}
	return list
}

// describe adds lines about how a model was made.
func (m *made) describe(t *report.Report) {
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
func madeBy(j *job, r *model.Report) *made {
	m := j.app.made()
	if m == nil {
		return nil
	}
	m.Sources = madeFrom(j)
	m.Errors = fitErrors(j.app, r)
	return m
}

// madeFrom returns the sources of a fit. Of what is no rows of files, such as a graph, the
// size is that of the matrix.
func madeFrom(j *job) (list []madeSource) {
	if j.sides.left == nil {
		s := j.task.shape()
		return []madeSource{{Name: dataName(j), Rows: s.Rows, Columns: int(s.Cols)}}
	}
	for _, in := range []struct {
		opened   *input
		prepared *prepare.Source
	}{{j.sides.left, j.sides.prepared.left}, {j.sides.right, j.sides.prepared.right}} {
		if in.opened != nil {
			list = append(list, in.opened.madeSource(rowsOf(in.opened, in.prepared)))
		}
	}
	return list
}

// madeSource says what rows were read, of which so many were used.
func (in *input) madeSource(rows int64) madeSource {
	info := in.Info()
	return madeSource{Name: plainPath(info.Name), Formats: in.formats, Rows: rows, Columns: len(info.Columns)}
}

// madeByModel returns how a file is made of what a model makes of rows.
func madeByModel(t *application, f *modelFile, rows *taken) *made {
	m := t.app.made()
	if m == nil {
		return nil
	}
	info := rows.source.Info()
	source := madeSource{Name: plainPath(info.Name), Rows: info.Rows, Columns: len(info.Columns)}
	if rows.input != nil {
		source = rows.input.madeSource(info.Rows)
	}
	m.Sources = append(m.Sources, source)
	if f.made != nil {
		m.Model, m.Errors = f.made.Command, f.made.Errors
	}
	return m
}
