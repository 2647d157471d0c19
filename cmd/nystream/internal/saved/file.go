package saved

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// File is a model with everything needed to apply it. Except for [app.Provenance], its bytes do not depend on the run:
// they contain no times and no thread counts.
type File struct {
	Path       string
	Family     *Family
	Model      model.Model
	Meta       []byte // meta.json without data, compact
	Data       Data
	Provenance *app.Provenance     // nil if the file has no record
	Prepare    prepare.Preparation // of left rows, and of right rows unless they are pairs
	Right      prepare.Preparation // of the right rows of pairs
	IDs        []int64             // of the nodes of a graph, if they are integers
	Arrays     []array.Array       // as read
}

// PrepareFile writes the model to a complete file that does not yet have its name.
func (f *File) PrepareFile(session *blockstore.Session, path string, by *app.Provenance) (blockstore.Output, error) {
	saved, err := f.Model.Save()
	if err != nil {
		return nil, err
	}
	if f.IDs != nil {
		saved.PutInts("node_ids", f.IDs)
	}
	saved.PutPreparation(model.Left, f.Prepare)
	saved.PutPreparation(model.Right, f.Right)
	if saved.Data, err = json.Marshal(f.Data); err != nil {
		return nil, err
	}
	if by != nil {
		if saved.Provenance, err = json.Marshal(by); err != nil {
			return nil, err
		}
	}
	return modelfile.StageIn(session.Internal(), path, saved)
}

// Read reads a model file, and validates it.
func Read(a *app.App, families []*Family, path string) (*File, error) {
	saved, err := modelfile.ReadArchiveIn(a.Session.Internal(), path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such model; nystream fit makes one", path)
	}
	if err != nil {
		return nil, app.FromData(err)
	}
	f := &File{Path: path, Arrays: saved.Arrays}
	f.Meta = fmt.Appendf(nil, `{"format":%q,"version":%d,%s`, modelfile.Format, modelfile.Version, saved.Header[1:len(saved.Header)-1])
	if err := f.decode(saved, families); err != nil {
		return nil, stream.NewDataError(path, "%w", err)
	}
	return f, nil
}

// decode fills the file from the parts of an archive. Its caller adds the path to errors, which name the part of
// meta.json. The description of the rows is checked before the family loads the model: a file may come from anywhere.
func (f *File) decode(a *model.Archive, families []*Family) (err error) {
	var header struct {
		Method string `json:"method"`
	}
	if err := json.Unmarshal(a.Header, &header); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if f.Family = familyOf(families, header.Method); f.Family == nil {
		return fmt.Errorf("meta.json: models of method %q are not known to this program", header.Method)
	}
	if err := json.Unmarshal(a.Data, &f.Data); err != nil {
		return fmt.Errorf("meta.json: data: %w", err)
	}
	if a.Provenance != nil {
		f.Provenance = new(app.Provenance)
		if err := json.Unmarshal(a.Provenance, f.Provenance); err != nil {
			return fmt.Errorf("meta.json: made: %w", err)
		}
	}
	if err := f.Data.checkIndexBase(); err != nil {
		return err
	}
	for _, d := range []*Dates{f.Data.Dates, f.Data.RightDates} {
		if err := d.check(); err != nil {
			return err
		}
	}
	for _, w := range f.Data.Files {
		if err := w.check(); err != nil {
			return fmt.Errorf("meta.json: %w", err)
		}
	}
	a.TakesPrepared = true // verb.inputRows.open applies the preparation
	if f.Model, err = f.Family.Load(a, &f.Data); err != nil {
		return err
	}
	return f.decodeRows(a)
}

// decodeRows reads the preparation of rows, or the nodes of a graph.
func (f *File) decodeRows(a *model.Archive) error {
	d := f.Model.Describe().Columns
	if f.Data.Graph != nil {
		return f.decodeNodes(a, d)
	}
	f.Prepare = a.Preparation(model.Left, d)
	if err := f.Data.ColumnPositions.Check(d - f.Prepare.Width()); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if t, ok := f.Model.(model.Transformer); ok && f.Data.Input == PairsInput {
		d := t.Dimension(model.Right)
		f.Right = a.Preparation(model.Right, d)
		if err := f.Data.RightPositions.Check(d - f.Right.Width()); err != nil {
			return fmt.Errorf("meta.json: right: %w", err)
		}
	}
	f.Prepare.Columns, f.Right.Columns = nil, nil // verb.inputRows.open selects them
	return a.Err()
}

// decodeNodes reads the description of the nodes of a graph. nodes is their number.
func (f *File) decodeNodes(a *model.Archive, nodes int) error {
	g := f.Data.Graph
	if !slices.Contains(rows.SelfLoopWords, g.SelfLoops) || !slices.Contains(rows.DegreeWords, g.Degrees) {
		return fmt.Errorf("meta.json: data.graph has self_loops %q and degrees %q", g.SelfLoops, g.Degrees)
	}
	if n := len(g.Names); n > 0 && n != nodes {
		return fmt.Errorf("meta.json: the names of %d nodes for a graph of %d", n, nodes)
	}
	if len(g.Names) == 0 {
		f.IDs = a.Ints("node_ids", nodes)
	}
	return a.Err()
}

// Pairings compares the files written with the model with those that have their names now. Cost: reads all of them.
func (f *File) Pairings(ctx context.Context, session *blockstore.Session) (list []Pairing, err error) {
	for _, w := range f.Data.Files {
		p := Pairing{File: w.path(f.Path)}
		same, err := w.matches(ctx, session, p.File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, app.FromData(err)
		}
		if err == nil {
			p.Belongs = &same
		}
		list = append(list, p)
	}
	return list, nil
}
