package fit

import (
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// allOutputs returns the output files other than the model.
func allOutputs(j *Job) []rows.FileFlag { return append(factorOutputs(j), j.Draws.outputs()...) }

// WritesFactors reports whether an output file for factors is named.
func WritesFactors(j *Job) bool { return Writes(j, model.Coordinates) }

// Writes reports whether an output file for this kind of output is named.
func Writes(j *Job, kind model.Output) bool {
	for _, f := range j.Factors {
		if f.Path != "" && f.kind == kind {
			return true
		}
	}
	return false
}

// WritingPasses returns the number of passes over a source that write coordinates, one for each file.
func WritingPasses(j *Job) (n int) {
	for _, f := range j.Factors {
		if f.Path != "" && f.kind == model.Coordinates && (n == 0 || j.Sides.Right == nil) {
			n++
		}
	}
	return n
}

// FactorPath returns the file named by a flag for factors or clusters, "" for none.
func FactorPath(j *Job, flag string) string {
	for _, f := range j.Factors {
		if f.flag == flag {
			return f.Path
		}
	}
	return ""
}

func factorOutputs(j *Job) (list []rows.FileFlag) {
	for _, f := range j.Factors {
		list = append(list, rows.FileFlag{Flag: "--" + f.flag, Path: f.Path, Extensions: flags.OutputExtensions, What: f.what})
	}
	return list
}

// request returns the request for the coordinates of rows on a side.
func (j *Job) request(m model.Transformer, side model.Side) (model.Request, error) {
	return rows.RequestOf(m, side, j.Scale, false)
}

// KeptFields returns the kept columns that a file of transformed rows holds: those of --label and
// --keep. A libsvm file holds the label alone, and an .npy file none.
func KeptFields(j *Job, path string, source *prepare.Source) []stream.Field {
	fields := source.Info().Kept
	switch {
	case !j.Data.Keeps() || rows.FormatOf(j.App, path) == "npy":
		return nil
	case rows.FormatOf(j.App, path) != "libsvm":
		return fields
	case rows.NewAnnotation("--label", j.Data.Label).File != "":
		return nil
	}
	return fields[:min(1, len(fields))]
}
