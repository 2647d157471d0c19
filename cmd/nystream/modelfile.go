package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

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

// decodeNodes reads what is known of the nodes of a graph with so many.
func (f *modelFile) decodeNodes(a *model.Archive, nodes int) error {
	g := f.data.Graph
	if !slices.Contains(selfLoopWords, g.SelfLoops) || !slices.Contains(degreeWords, g.Degrees) {
		return fmt.Errorf("meta.json: data.graph has self_loops %q and degrees %q", g.SelfLoops, g.Degrees)
	}
	if n := len(g.Names); n > 0 && n != nodes {
		return fmt.Errorf("meta.json: the names of %d nodes for a graph of %d", n, nodes)
	}
	if len(g.Names) == 0 {
		f.ids = a.Ints("node_ids", nodes)
	}
	return a.Err()
}

// pairings compares the files that were written with the model with those that have their
// names now. Cost: all of them are read.
func (f *modelFile) pairings(ctx context.Context, session *blockstore.Session) (list []pairing, err error) {
	for _, w := range f.data.Files {
		p := pairing{File: w.beside(f.path)}
		same, err := w.same(ctx, session, p.File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fromData(err)
		}
		if err == nil {
			p.Belongs = &same
		}
		list = append(list, p)
	}
	return list, nil
}
