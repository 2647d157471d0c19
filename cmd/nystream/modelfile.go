package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// modelFormat and modelVersion are how a model file names itself in meta.json.
const (
	modelFormat  = "nystream model"
	modelVersion = 1
)

// modelFile is a model with all that is needed to apply it. Nothing in its file depends
// on how or where it was made: no paths, times, threads or file formats.
type modelFile struct {
	path    string
	family  *family
	model   model.Model
	meta    []byte // meta.json up to what data are, without white space
	data    rowsData
	prepare stream.Preparation // of left rows, and of right rows unless they are pairs
	right   stream.Preparation // of the right rows of pairs
	ids     []int64            // of the nodes of a graph, if they are integers
	arrays  []archive.Array    // as they were read
}

// rowsData says what rows a model takes, and what of them it was fitted to.
type rowsData struct {
	Sources int    `json:"sources,omitempty"` // 2 if the columns of A are rows of another source
	Input   string `json:"input,omitempty"`   // matrix, sources, graph, pairs or kernel matrix
	// Columns are the names of the columns, unless they only count.
	Columns         []string `json:"columns,omitempty"`
	columnPositions          // of the columns
	// RightColumns are those of the right rows of pairs, which are rows of their own.
	RightColumns []string   `json:"right_columns,omitempty"`
	Nulls        string     `json:"nulls,omitempty"`
	Graph        *graphData `json:"graph,omitempty"`
	Known        string     `json:"known,omitempty"`   // the flag and columns of what was known
	Classes      []string   `json:"classes,omitempty"` // of the labels, in ascending order
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

// onlyCount reports whether names are one prefix followed by consecutive numbers
// from 0 or 1, as in x0, x1, x2: such names say nothing that the order does not
// say, and formats without names make them up.
func onlyCount(names []string) bool {
	if len(names) == 0 {
		return true
	}
	prefix := strings.TrimRight(names[0], "0123456789")
	first, err := strconv.Atoi(names[0][len(prefix):])
	if err != nil || first > 1 {
		return false
	}
	for i, name := range names {
		if name != prefix+strconv.Itoa(first+i) {
			return false
		}
	}
	return true
}

// write writes the model file.
func (f *modelFile) write(path string) error {
	saved, err := f.model.Save()
	if err != nil {
		return err
	}
	if f.ids != nil {
		saved.PutInts("node_ids", f.ids)
	}
	putPreparation(saved, "", f.prepare)
	putPreparation(saved, rightPrefix, f.right)
	data, err := json.Marshal(f.data)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	err = json.Indent(&text, fmt.Appendf(nil, `{"format":%q,"version":%d,%s,"data":%s}`, modelFormat, modelVersion, saved.Header[1:len(saved.Header)-1], data), "", "  ")
	if err != nil {
		return err
	}
	text.WriteByte('\n')
	file := &archive.Archive{Meta: text.Bytes()}
	for _, a := range saved.Arrays {
		file.Arrays = append(file.Arrays, archived(a))
	}
	return archive.Write(path, file)
}

// rightPrefix stands before the names of the arrays that say how right rows are prepared.
const rightPrefix = "right_"

// putPreparation adds the arrays that say how rows are prepared.
func putPreparation(a *model.Archive, prefix string, p stream.Preparation) {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"column_shift", p.Shift}, {"column_factor", p.Factor}, {"column_fill", p.Fill}} {
		if v.values != nil {
			a.PutVector(prefix+v.name, v.values)
		}
	}
}

// takePreparation reads what putPreparation wrote, for rows of so many columns.
func takePreparation(a *model.Archive, prefix string, nulls stream.Nulls, columns int) stream.Preparation {
	vector := func(name string, needed bool) []float64 {
		if !needed && !a.Has(prefix+name) {
			return nil
		}
		return a.Vector(prefix+name, columns)
	}
	p := stream.Preparation{Nulls: nulls, Shift: vector("column_shift", false)}
	p.Factor = vector("column_factor", p.Shift != nil)
	p.Fill = vector("column_fill", nulls == stream.NullsZero || nulls == stream.NullsMean)
	return p
}

// archived returns an array of a model as archives hold them.
func archived(a model.Array) archive.Array {
	shape := []int{a.Rows, a.Cols}
	if a.Cols == 0 && len(a.Floats)+len(a.Ints) == a.Rows {
		shape = shape[:1]
	}
	if a.Ints == nil && a.Floats == nil {
		a.Floats = []float64{}
	}
	return archive.Array{Name: a.Name, Shape: shape, Floats: a.Floats, Ints: a.Ints}
}

// readModel reads a model file. All that it says about itself is checked.
func readModel(path string) (*modelFile, error) {
	file, err := archive.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such model; nystream fit makes one", path)
	}
	if err != nil {
		return nil, fromData(err)
	}
	f := &modelFile{path: path, arrays: file.Arrays}
	if err := f.decode(file); err != nil {
		return nil, fromData(fmt.Errorf("%s: %w", path, err))
	}
	return f, nil
}

func (f *modelFile) decode(file *archive.Archive) (err error) {
	var meta struct {
		Format  string          `json:"format"`
		Version int             `json:"version"`
		Method  string          `json:"method"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(file.Meta, &meta); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if meta.Format != modelFormat || meta.Version != modelVersion {
		return fmt.Errorf("it calls itself %q version %d, and this program reads %q version %d", meta.Format, meta.Version, modelFormat, modelVersion)
	}
	if f.family = familyOf(meta.Method); f.family == nil {
		return fmt.Errorf("meta.json: models of method %q are not known to this program", meta.Method)
	}
	if err := f.decodeMeta(file.Meta, meta.Data); err != nil {
		return err
	}
	a := &model.Archive{Header: file.Meta}
	for _, array := range file.Arrays {
		read := model.Array{Name: array.Name, Rows: array.Shape[0], Floats: array.Floats, Ints: array.Ints}
		if len(array.Shape) == 2 {
			read.Cols = array.Shape[1]
		}
		a.Arrays = append(a.Arrays, read)
	}
	if f.model, err = f.family.load(a, &f.data); err != nil {
		return err
	}
	return f.decodeRows(a)
}

// decodeMeta reads what rows the model takes, and keeps what stands before that.
func (f *modelFile) decodeMeta(meta, data []byte) error {
	if err := json.Unmarshal(data, &f.data); err != nil {
		return fmt.Errorf("meta.json: data: %w", err)
	}
	var all, rows bytes.Buffer
	if err := errors.Join(json.Compact(&all, meta), json.Compact(&rows, data)); err != nil {
		return err
	}
	before, found := bytes.CutSuffix(all.Bytes(), fmt.Appendf(nil, `,"data":%s}`, rows.Bytes()))
	if !found {
		return errors.New("meta.json: data is not its last field")
	}
	f.meta = before
	return nil
}

// decodeRows reads how rows are prepared, or what is known of the nodes of a graph.
func (f *modelFile) decodeRows(a *model.Archive) error {
	d := f.model.Describe().Columns
	if f.data.Graph != nil {
		return f.decodeNodes(a, d)
	}
	nulls := slices.IndexFunc(allNulls, func(n stream.Nulls) bool { return n.String() == f.data.Nulls })
	if nulls < 0 {
		return fmt.Errorf("meta.json: data.nulls is %q", f.data.Nulls)
	}
	if n := len(f.data.Columns); n > 0 && n != d {
		return fmt.Errorf("meta.json: %d names for %d columns", n, d)
	}
	if err := f.data.columnPositions.check(d); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	f.prepare = takePreparation(a, "", allNulls[nulls], d)
	if t, ok := f.model.(model.Transformer); ok && f.data.Input == pairsInput {
		right := t.Dimension(model.Right)
		if n := len(f.data.RightColumns); n > 0 && n != right {
			return fmt.Errorf("meta.json: %d names for %d right columns", n, right)
		}
		f.right = takePreparation(a, rightPrefix, allNulls[nulls], right)
	}
	return a.Err()
}
