package saved

import (
	"fmt"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/input"
)

// GraphData describes how edges become rows of a model. Node ids are in the array node_ids of the model, or in Names if
// they are text.
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

// Base returns the index base of libsvm files for the model.
func (d *Data) Base() blockstore.IndexBase {
	if d.IndexBase == nil {
		return blockstore.IndexBaseAuto
	}
	return blockstore.IndexBaseZero + blockstore.IndexBase(*d.IndexBase)
}

// Data describes the rows of a model and of its fit. It is the object data of meta.json, see docs/model-format.md.
type Data struct {
	Sources int    `json:"sources,omitempty"` // 2 if the columns of A have their own source
	Input   string `json:"input,omitempty"`   // matrix, sources, graph, pairs or kernel matrix
	// Columns are the names of the columns; none if the data of the fit had no names.
	Columns              []string `json:"columns,omitempty"`
	rows.ColumnPositions          // of the columns
	// RightColumns are those of the right rows of pairs, which have their own columns.
	RightColumns   []string             `json:"right_columns,omitempty"`
	RightPositions rows.ColumnPositions `json:"right,omitzero"`
	Nulls          string               `json:"nulls,omitempty"`
	// IndexBase is the first index of libsvm files, nil if the fit read none.
	IndexBase *int `json:"index_base,omitempty"`
	// Categories are the categorical columns; those of right rows are separate.
	Categories      *input.Categories `json:"categories,omitempty"`
	RightCategories *input.Categories `json:"right_categories,omitempty"`
	// Dates are the columns of dates and times; those of right rows are separate.
	Dates      *Dates       `json:"dates,omitempty"`
	RightDates *Dates       `json:"right_dates,omitempty"`
	Graph      *GraphData   `json:"graph,omitempty"`
	Response   string       `json:"known,omitempty"`   // the flag and columns of the response
	Classes    []string     `json:"classes,omitempty"` // of the labels, in ascending order
	ClassKind  string       `json:"class_kind,omitempty"`
	Files      []fileRecord `json:"files,omitempty"` // files written with the model
}

// The sides of a fit, in the words of models and reports.
const (
	MatrixInput  = "matrix"
	SourcesInput = "sources"
	GraphInput   = "graph"
	PairsInput   = "pairs" // rows of two sources with separate columns and scaling
	// KernelMatrixInput is an explicit kernel matrix between samples.
	KernelMatrixInput = "kernel matrix"
)
