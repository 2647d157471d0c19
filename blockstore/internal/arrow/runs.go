package arrow

import (
	"errors"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/number"
)

// runScratch is the memory that runs pass through.
type runScratch struct{ ends, values scratch }

// errRuns reports that runs do not cover their array.
var errRuns = errors.New("its runs do not ascend up to the last row")

// loadRuns loads n values from value at on of an array whose values repeat up to where their
// runs end.
func (s *scratch) loadRuns(f *field, a *values, at int64, n int) error {
	if s.runs == nil {
		s.runs = &runScratch{}
	}
	ends, inside := &s.runs.ends, &s.runs.values
	first, err := ends.runOf(f.ends, a.ends, at)
	if err != nil {
		return err
	}
	count := int(min(int64(n), a.ends.length-first))
	if err := ends.load(f.ends, a.ends, first, count); err != nil {
		return err
	}
	if err := inside.load(f.child, a.child, first, count); err != nil {
		return err
	}
	s.nulls = nil
	if s.absent == nil {
		s.absent = make([]bool, n)
	}
	texts := f.kind == column.Text || f.format.Form == number.LongDecimalForm
	s.Words, s.Texts = column.Resized(s.Words, n), s.Texts[:0]
	run, last := 0, int64(-1)
	for i := range n {
		for run < count {
			end, ok := f.ends.format.Integer(ends.Words[run])
			if !ok || end <= last {
				return errRuns
			}
			if end > at+int64(i) {
				break
			}
			last = end
			run++
		}
		switch {
		case run == count:
			return errRuns
		case !inside.valid(run):
			s.absent[i] = true
			s.Words[i] = 0
			if texts {
				s.Texts = append(s.Texts, "")
			}
		case texts:
			s.Texts = append(s.Texts, inside.Texts[run])
		default:
			s.Words[i] = inside.Words[run]
		}
	}
	return nil
}

// runOf returns the number of the run that value at is in: the first that ends behind it.
func (s *scratch) runOf(f *field, ends *values, at int64) (int64, error) {
	low, high := int64(0), ends.length
	for low < high {
		middle := low + (high-low)/2
		if err := s.load(f, ends, middle, 1); err != nil {
			return 0, err
		}
		if end, ok := f.format.Integer(s.Words[0]); ok && end <= at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == ends.length {
		return 0, errRuns
	}
	return low, nil
}
