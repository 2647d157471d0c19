package sparse

import (
	"fmt"
	"math"
)

// DegreeScaling selects how the entries of an adjacency matrix A are divided by node degrees. D_out
// are the row sums of A, D_in its column sums.
type DegreeScaling uint8

const (
	NoDegreeScaling    DegreeScaling = iota // A
	RowStochastic                           // D_out⁻¹ A: each row sums to 1
	SymmetricByDegrees                      // D_out^(−1/2) A D_in^(−1/2)
	ColumnStochastic                        // A D_in⁻¹: each column sums to 1
)

// ScaledByDegrees returns the matrix with its entries divided by degrees. Rows and columns with sum
// zero stay zero. It returns an error if an entry is negative, since degrees may then vanish, or if
// a degree overflows; NoDegreeScaling never fails. Cost: O(Rows + Cols + NNZ) time and 8 bytes per
// entry; all but the values is shared.
func (c *CSR) ScaledByDegrees(s DegreeScaling) (*CSR, error) {
	if s == NoDegreeScaling {
		return c, nil
	}
	if s > ColumnStochastic {
		panic(fmt.Sprintf("sparse: no scaling by degrees has the number %d", s))
	}
	if err := c.checkWeights(); err != nil {
		return nil, err
	}
	out, in := c.RowSums(), c.ColumnSums()
	if s != ColumnStochastic {
		if err := checkDegrees("row", out); err != nil {
			return nil, err
		}
	}
	if s != RowStochastic {
		if err := checkDegrees("column", in); err != nil {
			return nil, err
		}
	}
	switch s {
	case RowStochastic:
		return c.mapValues(func(e Entry) float64 { return e.Value / out[e.Row] }), nil
	case ColumnStochastic:
		return c.mapValues(func(e Entry) float64 { return e.Value / in[e.Col] }), nil
	}
	sqrtAll(out)
	sqrtAll(in)
	return c.mapValues(func(e Entry) float64 { return e.Value / out[e.Row] / in[e.Col] }), nil
}

// RowSums returns the sums of the rows: the weighted out-degrees of a graph.
func (c *CSR) RowSums() []float64 {
	sums := make([]float64, c.Rows)
	for e := range c.Entries() {
		sums[e.Row] += e.Value
	}
	return sums
}

// ColumnSums returns the sums of the columns: the weighted in-degrees of a graph.
func (c *CSR) ColumnSums() []float64 {
	sums := make([]float64, c.Cols)
	for e := range c.Entries() {
		sums[e.Col] += e.Value
	}
	return sums
}

// checkWeights returns an error if an entry is negative.
func (c *CSR) checkWeights() error {
	for i := range c.Rows {
		index, value := c.Row(i)
		for p, v := range value {
			if v < 0 {
				return fmt.Errorf("the entry in row %d, column %d is %v, and degrees need weights that are not negative; leave the scaling by degrees out, or change the weights", i, index[p], v)
			}
		}
	}
	return nil
}

// checkDegrees returns an error if a degree overflows.
func checkDegrees(of string, degrees []float64) error {
	for i, d := range degrees {
		if math.IsInf(d, 0) {
			return fmt.Errorf("the sum of %s %d overflows; scale the weights down", of, i)
		}
	}
	return nil
}

// sqrtAll replaces each number by its square root.
func sqrtAll(x []float64) {
	for i, v := range x {
		x[i] = math.Sqrt(v)
	}
}

// mapValues returns the matrix with each nonzero value replaced by f. f should divide by a degree,
// not multiply by its inverse: the inverse might overflow, the quotient is at most 1.
func (c *CSR) mapValues(to func(Entry) float64) *CSR {
	d := *c
	d.Value = make([]float64, 0, len(c.Index))
	for e := range c.Entries() {
		if e.Value != 0 {
			e.Value = to(e)
		}
		d.Value = append(d.Value, e.Value)
	}
	return &d
}
