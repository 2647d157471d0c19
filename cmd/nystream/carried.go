package main

import (
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// allOutputs returns the files besides the model.
func allOutputs(j *job) []fileFlag { return append(factorOutputs(j), j.draws.outputs()...) }

// writesFactors reports whether a file for factors is named.
func writesFactors(j *job) bool { return writes(j, model.Coordinates) }

// writes reports whether a file for what a model makes of rows is named.
func writes(j *job, kind model.Kind) bool {
	for _, f := range j.factors {
		if f.path != "" && f.kind == kind {
			return true
		}
	}
	return false
}

// writingPasses returns the passes over a source that write coordinates: one for each file.
func writingPasses(j *job) (n int) {
	for _, f := range j.factors {
		if f.path != "" && f.kind == model.Coordinates && (n == 0 || j.sides.right == nil) {
			n++
		}
	}
	return n
}

// factorPath returns the file that a flag of factors or clusters names, "" for none.
func factorPath(j *job, flag string) string {
	for _, f := range j.factors {
		if f.flag == flag {
			return f.path
		}
	}
	return ""
}

func factorOutputs(j *job) (list []fileFlag) {
	for _, f := range j.factors {
		list = append(list, fileFlag{"--" + f.flag, f.path, flags.OutputExtensions, f.what})
	}
	return list
}

// request asks a model for the coordinates of rows on a side.
func (j *job) request(m model.Transformer, side model.Side) (model.Request, error) {
	return requestOf(m, side, j.scale, false)
}

// carried returns the kept columns that a file of transformed rows holds: those of --label and
// --keep. A libsvm file holds the label alone, and an .npy file none.
func carried(j *job, path string, rows *prepare.Source) []stream.Field {
	fields := rows.Info().Kept
	switch {
	case !j.data.keeps() || formatOf(j.app, path) == "npy":
		return nil
	case formatOf(j.app, path) != "libsvm":
		return fields
	case newAside("--label", j.data.label).file != "":
		return nil
	}
	return fields[:min(1, len(fields))]
}
