package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// maxLoadingRows limits the data columns in a chart of loadings.
const maxLoadingRows = 16

// LoadingGrid returns a grid of the weights of data columns in embedding columns, for the heaviest data columns.
func LoadingGrid(title, of string, columns, names []string, weights [][]float64) *Grid {
	heaviest := func(i int) float64 { return floats.Norm(weights[i], math.Inf(1)) }
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	if len(order) > maxLoadingRows {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(heaviest(b), heaviest(a)) })
		order = order[:maxLoadingRows]
		slices.Sort(order)
		title += fmt.Sprintf(", the %d strongest of %d", maxLoadingRows, len(weights))
	}
	g := &Grid{Title: title, Columns: names, Quantity: of, Signed: true, Format: "%.2f"}
	for _, i := range order {
		g.Rows, g.Values = append(g.Rows, columns[i]), append(g.Values, weights[i])
	}
	return g
}

// maxGridClasses limits the classes of a confusion matrix; the rest is merged into one class.
const maxGridClasses = 32

// ConfusionGrid returns a confusion matrix.
func ConfusionGrid(title, rows, columns string, counts [][]int64, names []string) *Grid {
	g := &Grid{Title: title, X: columns, Y: rows, Quantity: "rows", Format: "%.0f"}
	if len(names) > maxGridClasses {
		names = append(slices.Clone(names[:maxGridClasses-1]), "others")
	}
	g.Rows, g.Columns = names, names
	g.Values = make([][]float64, len(names))
	for i := range g.Values {
		g.Values[i] = make([]float64, len(names))
	}
	last := len(names) - 1
	for i, row := range counts {
		for k, n := range row {
			g.Values[min(i, last)][min(k, last)] += float64(n)
		}
	}
	return g
}
