package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// modelFile is a model with all that is needed to apply it. Nothing in its file depends
// on how or where it was made, but for what [made] says: no times and threads at all.
type modelFile struct {
	path    string
	family  *savedFamily
	model   model.Model
	meta    []byte // meta.json up to what data are, without white space
	data    rowsData
	made    *made               // nil if the file does not tell
	prepare prepare.Preparation // of left rows, and of right rows unless they are pairs
	right   prepare.Preparation // of the right rows of pairs
	ids     []int64             // of the nodes of a graph, if they are integers
	arrays  []array.Array       // as they were read
}

// rowsData says what rows a model takes, and what of them it was fitted to.
type rowsData struct {
	Sources int    `json:"sources,omitempty"` // 2 if the columns of A are rows of another source
	Input   string `json:"input,omitempty"`   // matrix, sources, graph, pairs or kernel matrix
	// Columns are the names of the columns; none if the data of the fit had no names.
	Columns         []string `json:"columns,omitempty"`
	columnPositions          // of the columns
	// RightColumns are those of the right rows of pairs, which are rows of their own.
	RightColumns   []string        `json:"right_columns,omitempty"`
	RightPositions columnPositions `json:"right,omitzero"`
	Nulls          string          `json:"nulls,omitempty"`
	// IndexBase is the first index of libsvm files, nil if the fit read none.
	IndexBase *int `json:"index_base,omitempty"`
	// Categories are the columns of text, those of right rows apart.
	Categories      *model.Categories `json:"categories,omitempty"`
	RightCategories *model.Categories `json:"right_categories,omitempty"`
	Graph           *graphData        `json:"graph,omitempty"`
	Known           string            `json:"known,omitempty"`   // the flag and columns of what was known
	Classes         []string          `json:"classes,omitempty"` // of the labels, in ascending order
	ClassKind       string            `json:"class_kind,omitempty"`
	Files           []madeWith        `json:"files,omitempty"` // that were written with the model
}

// What the two sides of a fit are, in the words of models and reports.
const (
	matrixInput  = "matrix"
	sourcesInput = "sources"
	graphInput   = "graph"
	pairsInput   = "pairs" // rows of two sources that have columns and scaling of their own
	// kernelMatrixInput is a kernel matrix that was read, between samples.
	kernelMatrixInput = "kernel matrix"
)

// prepareFile writes the model to a file that is complete but for its name.
func (f *modelFile) prepareFile(session *blockstore.Session, path string, by *made) (blockstore.Output, error) {
	saved, err := f.model.Save()
	if err != nil {
		return nil, err
	}
	if f.ids != nil {
		saved.PutInts("node_ids", f.ids)
	}
	saved.PutPreparation(model.Left, f.prepare)
	saved.PutPreparation(model.Right, f.right)
	if saved.Data, err = json.Marshal(f.data); err != nil {
		return nil, err
	}
	if by != nil {
		if saved.Made, err = json.Marshal(by); err != nil {
			return nil, err
		}
	}
	return modelfile.PrepareIn(session.Internal(), path, saved)
}

// readModel reads a model file. All that it says about itself is checked.
func readModel(a *app, families []*savedFamily, path string) (*modelFile, error) {
	saved, err := modelfile.LoadIn(a.session.Internal(), path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such model; nystream fit makes one", path)
	}
	if err != nil {
		return nil, fromData(err)
	}
	f := &modelFile{path: path, arrays: saved.Arrays}
	f.meta = fmt.Appendf(nil, `{"format":%q,"version":%d,%s`, modelfile.Format, modelfile.Version, saved.Header[1:len(saved.Header)-1])
	if err := f.decode(saved, families); err != nil {
		return nil, stream.NewDataError(path, "%w", err)
	}
	return f, nil
}

func (f *modelFile) decode(a *model.Archive, families []*savedFamily) (err error) {
	var header struct {
		Method string `json:"method"`
	}
	if err := json.Unmarshal(a.Header, &header); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if f.family = familyOf(families, header.Method); f.family == nil {
		return fmt.Errorf("meta.json: models of method %q are not known to this program", header.Method)
	}
	if err := json.Unmarshal(a.Data, &f.data); err != nil {
		return fmt.Errorf("meta.json: data: %w", err)
	}
	if a.Made != nil {
		f.made = new(made)
		if err := json.Unmarshal(a.Made, f.made); err != nil {
			return fmt.Errorf("meta.json: made: %w", err)
		}
	}
	if err := f.data.checkIndexBase(); err != nil {
		return err
	}
	for _, w := range f.data.Files {
		if err := w.check(); err != nil {
			return fmt.Errorf("meta.json: %w", err)
		}
	}
	a.Prepared = true // [takenRows.open] applies the preparation
	if f.model, err = f.family.load(a, &f.data); err != nil {
		return err
	}
	return f.decodeRows(a)
}

// decodeRows reads how rows are prepared, or what is known of the nodes of a graph.
func (f *modelFile) decodeRows(a *model.Archive) error {
	d := f.model.Describe().Columns
	if f.data.Graph != nil {
		return f.decodeNodes(a, d)
	}
	f.prepare = a.Preparation(model.Left, d)
	if err := f.data.columnPositions.check(d - f.prepare.Width()); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if t, ok := f.model.(model.Transformer); ok && f.data.Input == pairsInput {
		d := t.Dimension(model.Right)
		f.right = a.Preparation(model.Right, d)
		if err := f.data.RightPositions.check(d - f.right.Width()); err != nil {
			return fmt.Errorf("meta.json: right: %w", err)
		}
	}
	f.prepare.Columns, f.right.Columns = nil, nil // [takenRows.open] chooses them
	return a.Err()
}
