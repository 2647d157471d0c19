package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
)

// ksvdMeta is meta.json in the file of a ksvd model.
type ksvdMeta struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	ksvd.Header
	Data ksvdData `json:"data"`
}

// ksvdData says what rows the model takes.
type ksvdData struct {
	Input string `json:"input"` // matrix, sources or graph
	// Columns are the names of the columns, unless they only count.
	Columns []string   `json:"columns,omitempty"`
	Nulls   string     `json:"nulls,omitempty"`
	Graph   *ksvdGraph `json:"graph,omitempty"`
}

// ksvdGraph says how edges become rows. The ids of the nodes are in the array
// node_ids, or if they are text in Names.
type ksvdGraph struct {
	graphRecipe
	Names []string `json:"names,omitempty"`
}

// ksvdModel is a ksvd model with all that is needed to apply it.
type ksvdModel struct {
	meta    ksvdMeta
	model   *ksvd.Model
	prepare stream.Preparation // of left rows, and of right rows of a second source
	ids     []int64            // of the nodes of a graph, if they are integers
}

// write writes the model file.
func (m *ksvdModel) write(path string) error {
	header, arrays := m.model.Save()
	m.meta.Header = header
	meta, err := json.MarshalIndent(m.meta, "", "  ")
	if err != nil {
		return err
	}
	file := &blockstore.Archive{Meta: append(meta, '\n')}
	for _, a := range arrays {
		file.Arrays = append(file.Arrays, archived(a))
	}
	if m.ids != nil {
		file.AddInts("node_ids", m.ids)
	}
	addPreparation(file, m.prepare)
	return blockstore.WriteArchive(path, file)
}

// ksvdModelOf reads a model from an archive. All that it says about itself is
// checked.
func ksvdModelOf(path string, file *blockstore.Archive) (*ksvdModel, error) {
	m := &ksvdModel{}
	if err := m.decode(file); err != nil {
		return nil, fromData(fmt.Errorf("%s: %w", path, err))
	}
	return m, nil
}

func (m *ksvdModel) decode(file *blockstore.Archive) (err error) {
	if err := json.Unmarshal(file.Meta, &m.meta); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if err := checkFormat(m.meta.Format, m.meta.Version); err != nil {
		return err
	}
	if m.model, err = ksvd.Load(m.meta.Header, solverArrays(file)); err != nil {
		return err
	}
	data := m.meta.Data
	switch sparse := m.model.Left.Landmarks.Sparse != nil; {
	case !slices.Contains([]string{matrixInput, sourcesInput, graphInput}, data.Input):
		return fmt.Errorf("meta.json: data.input is %q", data.Input)
	case (data.Input == graphInput) != sparse || sparse != (data.Graph != nil):
		return fmt.Errorf("meta.json: data.input %q does not go with the arrays", data.Input)
	case sparse:
		return m.decodeGraph(file)
	}
	m.prepare, err = decodePreparation(file, data.Nulls, data.Columns, m.dimension("left"))
	return err
}

// decodeGraph reads what is known of the nodes.
func (m *ksvdModel) decodeGraph(file *blockstore.Archive) (err error) {
	g := m.meta.Data.Graph
	if !slices.Contains(selfLoopWords, g.SelfLoops) || !slices.Contains(degreeWords, g.Degrees) {
		return fmt.Errorf("meta.json: data.graph has self_loops %q and degrees %q", g.SelfLoops, g.Degrees)
	}
	known := len(g.Names)
	if known == 0 {
		if m.ids, err = file.Ints("node_ids"); err != nil {
			return err
		}
		known = len(m.ids)
	}
	if want := m.dimension("left"); known != want {
		return fmt.Errorf("the ids of %d nodes for a graph of %d", known, want)
	}
	return nil
}

// side is one side of the model.
func (m *ksvdModel) side(name string) *ksvd.Side {
	if name == "right" {
		return m.model.Right
	}
	return m.model.Left
}

// dimension is the length of the rows that a side takes.
func (m *ksvdModel) dimension(side string) int {
	s := m.side(side)
	switch {
	case s.Map.Rows > 0:
		return s.Map.Rows
	case s.Landmarks.Sparse != nil:
		return s.Landmarks.Sparse.Cols
	}
	return s.Landmarks.Dense.Cols
}

// taken are the rows that a side takes. The columns of a matrix are taken as they
// are: names, nulls and scaling are those of its rows.
func (m *ksvdModel) taken(side string) takenRows {
	if side == "right" && m.meta.Data.Input == matrixInput {
		return takenRows{dimension: m.dimension(side)}
	}
	return takenRows{m.meta.Data.Columns, m.dimension(side), m.prepare}
}

// embedBudget is the memory for a pass that a side is applied in. in is nil for a
// graph.
func (m *ksvdModel) embedBudget(e stream.Engine, side string, rows stream.Source, in *input) stream.Budget {
	s, rank := m.side(side), int64(m.model.Rank())
	b := runtimeBudget()
	landmarks := int64(s.Projection.Rows)
	all := landmarks
	if s.All != nil {
		all = int64(m.model.Rows + m.model.Cols)
	}
	if sparse, ok := rows.(*stream.SparseRows); ok {
		entries := sparse.Matrix.NNZ() + s.Landmarks.Sparse.NNZ()
		if s.All != nil && s.All.Sparse != nil {
			entries += s.All.Sparse.NNZ()
		}
		b.Add("graph and model", 4*entries+8*all+16*int64(sparse.Matrix.Rows)+2*landmarks*rank, "")
	} else {
		d := m.dimension(side)
		readerBudget(&b, in)
		e.PassBudget(&b, d)
		mapBudget(&b, e, d, int(rank))
		b.Add("model", 2*all*int64(s.Landmarks.Dense.Cols)+int64(len(s.Map.Data))+2*landmarks*rank, "")
	}
	b.Add("tiles", int64(e.Workers())*stream.PanelRows*(landmarks+2*rank), "--threads")
	return b
}
