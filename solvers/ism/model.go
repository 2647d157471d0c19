package ism

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// Model is a subspace of the columns. It projects rows as the source of the fit provided them. As with other models,
// the caller stores the preparation of raw rows ([prepare.Source.Preparation]).
type Model struct {
	Kernel    kernelgen.Kernel // with all words and weights resolved
	Paradigm  Paradigm
	Algorithm Algorithm      // exact or linear
	W         blas64.General // d×q, orthonormal columns; the entry of largest magnitude in each is positive
	Values    []float64      // the q largest eigenvalues of Φ, descending
	Columns   []string       // the names of the d columns
	Rows      int64          // of the fit
	Seed      uint64
	// Decision maps rows of XW to decisions, one column for each class: coefficients, then a row of constants. It is
	// empty without classes, see [Model.LearnClasses].
	Decision blas64.General // (q+1)×classes
}

// Dim returns q, the number of new dimensions.
func (m *Model) Dim() int { return m.W.Cols }

// describedLoadings is the number of columns in the description of a new dimension.
const describedLoadings = 5

// Describe returns a summary of the model, including the columns with the largest weights in each new dimension.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: Name, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: int64(m.W.Rows),
		Rank: m.Dim(), Values: m.Values, Seed: m.Seed, Columns: m.W.Rows,
		Facts: []model.Fact{{Name: "paradigm", Value: m.Paradigm.String()}, {Name: "engine", Value: m.Algorithm.String()}}}
	names, _ := m.Outputs(model.Left, model.Coordinates)
	for k, column := range m.Loadings(describedLoadings) {
		var words []string
		for _, l := range column {
			words = append(words, fmt.Sprintf("%+.2f·%s", l.Weight, l.Name))
		}
		d.Facts = append(d.Facts, model.Fact{Name: names[k], Value: strings.ReplaceAll(strings.Join(words, "  "), "-", "−")})
	}
	return d
}

// Loading is the weight of a column of the data in a new dimension.
type Loading struct {
	Column int
	Name   string
	Weight float64 // the entry of W
}

// Loadings returns, for each new dimension, up to most columns with the largest weights, by descending magnitude. Zero
// weights are omitted.
func (m *Model) Loadings(most int) [][]Loading {
	all := make([][]Loading, m.W.Cols)
	for j := range all {
		for i := range m.W.Rows {
			if w := m.W.Data[i*m.W.Stride+j]; w != 0 {
				all[j] = append(all[j], Loading{Column: i, Name: m.Columns[i], Weight: w})
			}
		}
		slices.SortStableFunc(all[j], func(a, b Loading) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
		all[j] = all[j][:min(most, len(all[j]))]
	}
	return all
}
