package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/ksvd"
	contract "github.com/nystream/nystream/solvers/model"
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

// mapped says whether a side multiplies its rows first.
func (m *ksvdMeta) mapped(side string) bool {
	return side == "right" && m.Right.Mapped || side != "right" && m.Left.Mapped
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
	saved, err := m.model.Save()
	if err != nil {
		return err
	}
	saved.ReadHeader(&m.meta.Header)
	meta, err := json.MarshalIndent(m.meta, "", "  ")
	if err != nil {
		return err
	}
	file := &blockstore.Archive{Meta: append(meta, '\n')}
	for _, a := range saved.Arrays {
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
	if m.model, err = ksvd.Load(&contract.Archive{Header: file.Meta, Arrays: solverArrays(file)}); err != nil {
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

// sideOf is the side that --side names.
func sideOf(word string) contract.Side {
	if word == "right" {
		return contract.Right
	}
	return contract.Left
}

// dimension is the length of the rows that a side takes.
func (m *ksvdModel) dimension(side string) int { return m.model.Dimension(sideOf(side)) }

// taken are the rows that a side takes. The columns of a matrix are taken as they
// are: names, nulls and scaling are those of its rows.
func (m *ksvdModel) taken(side string) takenRows {
	if side == "right" && m.meta.Data.Input == matrixInput {
		return takenRows{dimension: m.dimension(side)}
	}
	return takenRows{m.meta.Data.Columns, m.dimension(side), m.prepare}
}
