package verb

import (
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// predictCommand holds the flags of one run of predict.
type predictCommand struct {
	application
	labelsFile               string // of nodes
	decisions, probabilities bool
	interval                 float64 // level, for numbers
	std                      bool
	novelty                  float64 // fraction of rows to mark
	truth                    *truth  // of --label or --labels, or nil
}

// predictExtensions are the extensions of files that can hold words, and .npy.
var predictExtensions = slices.DeleteFunc(slices.Clone(flags.OutputExtensions), func(e string) bool { return e == "libsvm" })

// classCount is the number of rows of a class.
type classCount struct {
	Class string `json:"class"`
	Rows  int64  `json:"rows"`
}

// compares reports whether predictions are compared with labels.
func (p *predictCommand) compares() bool { return p.data.Label+p.labelsFile != "" }

// prediction is an answer with its report.
type prediction struct {
	rowsAnswer
	report func(r *rowsResult, out *report.Report) error // adds fields
}
