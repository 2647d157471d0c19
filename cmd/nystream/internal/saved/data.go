package saved

import (
	"fmt"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/input"
)

// GraphData says how edges become the rows that a model takes. The ids of the nodes are
// in the array node_ids of the model, or if they are text in Names.
type GraphData struct {
	rows.GraphRecipe
	Names []string `json:"names,omitempty"`
}

// checkIndexBase fails unless an index base is 0 or 1.
func (d *Data) checkIndexBase() error {
	if b := d.IndexBase; b != nil && *b != 0 && *b != 1 {
		return fmt.Errorf("meta.json: data.index_base: %d is neither 0 nor 1", *b)
	}
	return nil
}

// Base returns the first index of libsvm files that the model is applied to.
func (d *Data) Base() blockstore.IndexBase {
	if d.IndexBase == nil {
		return blockstore.IndexBaseAuto
	}
	return blockstore.IndexBaseZero + blockstore.IndexBase(*d.IndexBase)
}

// Data says what rows a model takes, and what of them it was fitted to.
type Data struct {
	Sources int    `json:"sources,omitempty"` // 2 if the columns of A are rows of another source
	Input   string `json:"input,omitempty"`   // matrix, sources, graph, pairs or kernel matrix
	// Columns are the names of the columns; none if the data of the fit had no names.
	Columns              []string `json:"columns,omitempty"`
	rows.ColumnPositions          // of the columns
	// RightColumns are those of the right rows of pairs, which are rows of their own.
	RightColumns   []string             `json:"right_columns,omitempty"`
	RightPositions rows.ColumnPositions `json:"right,omitzero"`
	Nulls          string               `json:"nulls,omitempty"`
	// IndexBase is the first index of libsvm files, nil if the fit read none.
	IndexBase *int `json:"index_base,omitempty"`
	// Categories are the columns of text, those of right rows apart.
	Categories      *input.Categories `json:"categories,omitempty"`
	RightCategories *input.Categories `json:"right_categories,omitempty"`
	// Dates are the columns of dates and times, those of right rows apart.
	Dates      *Dates     `json:"dates,omitempty"`
	RightDates *Dates     `json:"right_dates,omitempty"`
	Graph      *GraphData `json:"graph,omitempty"`
	Known      string     `json:"known,omitempty"`   // the flag and columns of what was known
	Classes    []string   `json:"classes,omitempty"` // of the labels, in ascending order
	ClassKind  string     `json:"class_kind,omitempty"`
	Files      []madeWith `json:"files,omitempty"` // that were written with the model
}

// What the two sides of a fit are, in the words of models and reports.
const (
	MatrixInput  = "matrix"
	SourcesInput = "sources"
	GraphInput   = "graph"
	PairsInput   = "pairs" // rows of two sources that have columns and scaling of their own
	// KernelMatrixInput is a kernel matrix that was read, between samples.
	KernelMatrixInput = "kernel matrix"
)
