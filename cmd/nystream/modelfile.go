package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/lowrank"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// modelFormat and modelVersion are how a model file names itself in meta.json.
const (
	modelFormat  = "nystream model"
	modelVersion = 1
)

// modelMeta is meta.json in a model file. Nothing in it depends on how or where
// the model was made: no paths, times, threads or file formats.
type modelMeta struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	lowrank.Header
	Data modelData `json:"data"`
}

// modelData says what rows the model takes.
type modelData struct {
	Sources int `json:"sources"` // 2 if the columns of A are rows of another source
	// Columns are the names of the columns, unless they only count.
	Columns []string `json:"columns,omitempty"`
	Nulls   string   `json:"nulls"`
}

// model is a model with all that is needed to apply it.
type model struct {
	meta    modelMeta
	kernel  *lowrank.Model
	prepare stream.Preparation
}

// newModel puts a fit on rows of the given columns together with how they were
// prepared.
func newModel(f *lowrank.Model, columns []string, prepare stream.Preparation, sources int) *model {
	m := &model{kernel: f, prepare: prepare}
	m.meta = modelMeta{Format: modelFormat, Version: modelVersion,
		Data: modelData{Sources: sources, Nulls: nullWords[prepare.Nulls]}}
	if !onlyCount(columns) {
		m.meta.Data.Columns = columns
	}
	return m
}

// onlyCount says whether names are one prefix followed by consecutive numbers
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
func (m *model) write(path string) error {
	saved, err := m.kernel.Save()
	if err != nil {
		return err
	}
	saved.ReadHeader(&m.meta.Header)
	file, err := newArchive(m.meta, saved.Arrays, m.prepare)
	if err != nil {
		return err
	}
	return blockstore.WriteArchive(path, file)
}

// newArchive is the file of a model of a solver.
func newArchive(meta any, arrays []lowrank.Array, p stream.Preparation) (*blockstore.Archive, error) {
	text, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return nil, err
	}
	file := &blockstore.Archive{Meta: append(text, '\n')}
	for _, a := range arrays {
		file.Arrays = append(file.Arrays, archived(a))
	}
	addPreparation(file, p)
	return file, nil
}

// addPreparation adds how rows are prepared.
func addPreparation(file *blockstore.Archive, p stream.Preparation) {
	addVector(file, "column_shift", p.Shift)
	addVector(file, "column_factor", p.Factor)
	addVector(file, "column_fill", p.Fill)
}

// archived is a solver's array as archives hold them.
func archived(a lowrank.Array) blockstore.Array {
	shape := []int{a.Rows, a.Cols}
	if a.Cols == 0 && len(a.Floats)+len(a.Ints) == a.Rows {
		shape = shape[:1]
	}
	if a.Ints == nil && a.Floats == nil {
		a.Floats = []float64{}
	}
	return blockstore.Array{Name: a.Name, Shape: shape, Floats: a.Floats, Ints: a.Ints}
}

func addVector(file *blockstore.Archive, name string, v []float64) {
	if v != nil {
		file.AddVector(name, v)
	}
}

// readArchive reads the file of a model of any kind.
func readArchive(path string) (*blockstore.Archive, error) {
	file, err := blockstore.ReadArchive(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such model; nystream fit makes one", path)
	}
	return file, fromData(err)
}

// methodOf is the method of the model in an archive, or "".
func methodOf(file *blockstore.Archive) string {
	var meta struct{ Method string }
	if json.Unmarshal(file.Meta, &meta) != nil {
		return ""
	}
	return meta.Method
}

// modelOf reads a model from an archive. All that it says about itself is checked.
func modelOf(path string, file *blockstore.Archive) (*model, error) {
	m, err := decodeModel(file)
	if err != nil {
		return nil, fromData(fmt.Errorf("%s: %w", path, err))
	}
	return m, nil
}

// checkFormat refuses archives that are no models, and those of other versions.
func checkFormat(format string, version int) error {
	if format != modelFormat || version != modelVersion {
		return fmt.Errorf("it calls itself %q version %d, and this program reads %q version %d", format, version, modelFormat, modelVersion)
	}
	return nil
}

func decodeModel(file *blockstore.Archive) (*model, error) {
	m := &model{}
	if err := json.Unmarshal(file.Meta, &m.meta); err != nil {
		return nil, fmt.Errorf("meta.json: %w", err)
	}
	err := checkFormat(m.meta.Format, m.meta.Version)
	if err != nil {
		return nil, err
	}
	arrays := solverArrays(file)
	if m.kernel, err = lowrank.Load(&contract.Archive{Header: file.Meta, Arrays: arrays}); err != nil {
		return nil, err
	}
	m.prepare, err = decodePreparation(file, m.meta.Data.Nulls, m.meta.Data.Columns, m.dimension())
	return m, err
}

func solverArrays(file *blockstore.Archive) []lowrank.Array {
	var arrays []lowrank.Array
	for _, a := range file.Arrays {
		s := lowrank.Array{Name: a.Name, Rows: a.Shape[0], Floats: a.Floats, Ints: a.Ints}
		if len(a.Shape) == 2 {
			s.Cols = a.Shape[1]
		}
		arrays = append(arrays, s)
	}
	return arrays
}

// decodePreparation reads how rows of so many columns are prepared, and checks the
// names of the columns.
func decodePreparation(file *blockstore.Archive, word string, names []string, dimension int) (p stream.Preparation, err error) {
	nulls := slices.Index(nullWords, word)
	if nulls < 0 {
		return p, fmt.Errorf("meta.json: data.nulls is %q", word)
	}
	p.Nulls = stream.Nulls(nulls)
	vector := func(name string, needed bool) (v []float64) {
		has := slices.ContainsFunc(file.Arrays, func(a blockstore.Array) bool { return a.Name == name })
		if err != nil || !has && !needed {
			return nil
		}
		if v, err = file.Vector(name); err == nil && len(v) != dimension {
			err = fmt.Errorf("array %s has %d numbers for %d columns", name, len(v), dimension)
		}
		return v
	}
	p.Shift = vector("column_shift", false)
	p.Factor = vector("column_factor", p.Shift != nil)
	p.Fill = vector("column_fill", p.Nulls == stream.NullsZero || p.Nulls == stream.NullsMean)
	if err == nil && len(names) > 0 && len(names) != dimension {
		err = fmt.Errorf("meta.json: %d names for %d columns", len(names), dimension)
	}
	return p, err
}

// dimension is the number of columns of the rows that the model takes.
func (m *model) dimension() int {
	return m.kernel.Dimension(contract.Left)
}

// twoSided says that U and V differ.
func (m *model) twoSided() bool { return !m.kernel.Symmetric() }

// subject is what the model approximates, in words.
func (m *model) subject() string { return m.kernel.Describe().Subject }
