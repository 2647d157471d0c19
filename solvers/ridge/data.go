package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data are rows with what is to be predicted of them: Targets or Labels.
type Data struct {
	Rows stream.Source
	// Targets has a row of numbers for each row, and Names a name for each column; without names
	// they are target0, target1, ….
	Targets blas64.General
	Names   []string
	// Labels are the classes of the rows, 0 to Classes − 1.
	Labels  []int
	Classes int
	// Weights are those of the squared errors, 0 or more; nil means 1.
	Weights []float64
	// Groups are numbers of groups; rows of a group are in one fold. nil makes each row a group.
	Groups []uint64
}

var _ model.Data = (*Data)(nil)

// Shape returns the size of the data. The number of rows is -1 if it is not known.
func (d *Data) Shape() model.Shape {
	s := model.Sources{Left: d.Rows}.Shape()
	s.Classes, s.Targets, s.Weighted = d.Classes, d.Targets.Cols, d.Weights != nil
	return s
}

// Sample returns rows that kernels with words are resolved on.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return model.SampleRows(ctx, d.Rows, n, seed, "kernel")
}

// outputs returns the number of columns that are regressed on.
func outputs(s model.Shape) int { return max(s.Classes, s.Targets) }

// check returns an error unless each row has what is to be predicted of it.
func (d *Data) check() error {
	n, err := model.KnownRows(d.Rows)
	if err != nil {
		return err
	}
	name := d.Rows.Info().Name
	for _, have := range []struct {
		what string
		rows int
		is   bool
	}{
		{"targets", d.Targets.Rows, d.Targets.Cols > 0}, {"labels", len(d.Labels), d.Classes > 0},
		{"weights", len(d.Weights), d.Weights != nil}, {"groups", len(d.Groups), d.Groups != nil},
	} {
		if have.is && int64(have.rows) != n {
			return fmt.Errorf("%s has %d rows, and there are %d %s", name, n, have.rows, have.what)
		}
	}
	if err := d.checkWeights(); err != nil {
		return err
	}
	switch {
	case d.Classes > 0 && d.Targets.Cols > 0:
		return errors.New("there are targets and labels: give one of them, not both")
	case d.Classes > 0:
		return d.checkLabels()
	case d.Targets.Cols == 0:
		return errors.New("there are neither targets nor labels")
	}
	return d.checkTargets()
}

func (d *Data) checkWeights() error {
	sum := 0.0
	for i, w := range d.Weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("%s: the weight of row %d is %v; weights are 0 or more", d.Rows.Info().Name, i, w)
		}
		sum += w
	}
	if d.Weights != nil && sum == 0 {
		return fmt.Errorf("%s: all weights are 0", d.Rows.Info().Name)
	}
	return nil
}

func (d *Data) checkLabels() error {
	counts := make([]int, d.Classes)
	for i, l := range d.Labels {
		if l < 0 || l >= d.Classes {
			return fmt.Errorf("the label of row %d is %d, of %d classes", i, l, d.Classes)
		}
		counts[l]++
	}
	for _, n := range counts {
		if n == len(d.Labels) {
			return errors.New("all rows are of one class; two classes are the least")
		}
	}
	return nil
}

func (d *Data) checkTargets() error {
	if len(d.Names) > 0 && len(d.Names) != d.Targets.Cols {
		return fmt.Errorf("%d names of %d targets", len(d.Names), d.Targets.Cols)
	}
	if i, j, found := dense.NotFinite(d.Targets); found {
		return fmt.Errorf("%s: target %s of row %d is %v", d.Rows.Info().Name, d.names()[j], i, dense.Row(d.Targets, i)[j])
	}
	for j, name := range d.names() {
		first, constant := d.Targets.Data[j], true
		for i := range d.Targets.Rows {
			constant = constant && dense.Row(d.Targets, i)[j] == first
		}
		if constant {
			return fmt.Errorf("%s: target %s is %v in all rows: there is nothing to predict", d.Rows.Info().Name, name, first)
		}
	}
	return nil
}

// names returns the names of targets.
func (d *Data) names() []string {
	if len(d.Names) > 0 || d.Classes > 0 {
		return d.Names
	}
	names := make([]string, d.Targets.Cols)
	for j := range names {
		names[j] = fmt.Sprintf("target%d", j)
	}
	return names
}

// labels returns the labels as numbers of a fixed size, for the keys of states.
func (d *Data) labels() []int64 {
	labels := make([]int64, len(d.Labels))
	for i, l := range d.Labels {
		labels[i] = int64(l)
	}
	return labels
}

// put writes the codes or targets of a row.
func (d *Data) put(dst []float64, row int64) {
	if d.Classes == 0 {
		copy(dst, dense.Row(d.Targets, int(row)))
		return
	}
	for c := range dst {
		dst[c] = -1
	}
	dst[d.Labels[row]] = 1
}

// weight returns the weight of a row.
func (d *Data) weight(row int64) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[row]
}
