package lssvm

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// scatter accumulates the means of columns and the Gram matrix of the columns
// less their means, Σ(z−z̄)(z−z̄)ᵀ. Blocks are centred on their own means, and
// merging adds the rank-one term that belongs to the difference of two means
// (Chan, Golub and LeVeque 1979, "Updating formulae and a pairwise algorithm for
// computing sample variances"), so that nothing cancels when the columns lie far
// from 0.
type scatter struct {
	rows int64
	mean []float64
	gram *sketch.Gram
}

func newScatter(cols int) *scatter {
	return &scatter{mean: make([]float64, cols), gram: sketch.NewGram(cols, cols)}
}

// setBlock takes in the only block of rows, which it centres in place.
func (s *scatter) setBlock(z blas64.General) error {
	s.rows = int64(z.Rows)
	s.mean = columnMeans(z)
	centre(z, s.mean)
	return s.gram.Add(z, z)
}

// columnMeans returns the means of the columns of a matrix with a row at least: those
// of the differences from the first row, which are small where a mean is to be
// accurate.
func columnMeans(z blas64.General) []float64 {
	first := dense.Row(z, 0)
	mean := make([]float64, z.Cols)
	for i := 1; i < z.Rows; i++ {
		for j, v := range dense.Row(z, i) {
			mean[j] += v - first[j]
		}
	}
	for j, v := range first {
		mean[j] = v + mean[j]/float64(z.Rows)
	}
	return mean
}

func centre(z blas64.General, mean []float64) {
	for i := range z.Rows {
		r := dense.Row(z, i)
		for j, m := range mean {
			r[j] -= m
		}
	}
}

// Merge takes in the rows that later has seen.
func (s *scatter) Merge(later *scatter) error {
	if later.rows == 0 {
		return nil
	}
	n := s.rows + later.rows
	step := stream.NewMatrix(1, len(s.mean))
	share := float64(later.rows) / float64(n)
	root := math.Sqrt(float64(s.rows) * share)
	for j, m := range later.mean {
		step.Data[j] = root * (m - s.mean[j])
		s.mean[j] += share * (m - s.mean[j])
	}
	s.rows = n
	if err := s.gram.Merge(later.gram); err != nil {
		return err
	}
	if err := s.gram.Add(step, step); err != nil {
		return fmt.Errorf("lssvm: the means of two blocks of rows are too far apart: scale the features down: %w", err)
	}
	return nil
}

// MarshalBinary writes rows, means, and the Gram matrix.
func (s *scatter) MarshalBinary() ([]byte, error) {
	gram, err := s.gram.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(s.rows))
	for _, v := range s.mean {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return append(out, gram...), nil
}

// UnmarshalBinary reads what MarshalBinary of as many columns wrote.
func (s *scatter) UnmarshalBinary(data []byte) error {
	head := 8 + 8*len(s.mean)
	if len(data) < head {
		return fmt.Errorf("lssvm: a scatter matrix of %d columns cannot have %d bytes", len(s.mean), len(data))
	}
	if err := s.gram.UnmarshalBinary(data[head:]); err != nil {
		return err
	}
	s.rows = int64(binary.LittleEndian.Uint64(data))
	for j := range s.mean {
		s.mean[j] = math.Float64frombits(binary.LittleEndian.Uint64(data[8+8*j:]))
	}
	return nil
}
