package prepare

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// weightsIndex returns the index of the weights among the kept columns of a source. It fails if the column is
// missing or holds text.
func weightsIndex(info stream.Info, name string) (int, error) {
	for k, f := range info.Kept {
		switch {
		case f.Name != name:
		case f.Kind == stream.String:
			return 0, stream.NewDataError(info.Name, "column %s of `Treatment.Weights` holds text, and numbers are wanted", quote.Name(name))
		default:
			return k, nil
		}
	}
	return 0, fmt.Errorf("%s: no kept column of `Treatment.Weights` is called %s", info.Name, quote.Name(name))
}

// weightOf returns weight i of a column, or the reason why the value is not a weight.
func weightOf(c *stream.Column, i int) (w float64, reason string) {
	if c.Null(i) {
		return 0, "nothing is there, and `Treatment.Weights` needs a value in each row"
	}
	if c.Kind == stream.Int64 {
		w = float64(c.Ints[i])
	} else {
		w = c.Floats[i]
	}
	switch {
	case !matrix.IsFinite(w):
		return 0, fmt.Sprintf("is %v, and `Treatment.Weights` needs finite numbers", w)
	case w < 0:
		return 0, fmt.Sprintf("is %v, and `Treatment.Weights` are 0 or more", w)
	}
	return w, ""
}

// weightError reports a row, counted from 0, without a valid weight. place is the index of the kept column.
func weightError(info stream.Info, place int, row int64, reason string) error {
	return stream.NewValueError(info.Name, row, info.Kept[place].Name, "%s", reason)
}

// rowWeights counts the rows that weights stand for: a row of weight k counts as k rows. If the smallest positive
// weight is below 1, that weight counts as one row: weights may be shares.
type rowWeights struct {
	Least, Total float64 // of the weights above 0
}

// mostCopies bounds the number of copies: float64 represents it exactly.
const mostCopies = 1e15

// add adds a row of positive weight.
func (c *rowWeights) add(w float64) { c.merge(rowWeights{w, w}) }

func (c *rowWeights) merge(o rowWeights) {
	if c.Total == 0 || o.Total > 0 && o.Least < c.Least {
		c.Least = o.Least
	}
	c.Total += o.Total
}

// valid reports whether the sums are possible: a corrupt state may hold others.
func (c rowWeights) valid() bool {
	return c.Least >= 0 && c.Total >= c.Least && c.Total <= math.MaxFloat64
}

// unit returns the weight of one copy.
func (c rowWeights) unit() float64 { return max(min(1, c.Least), c.Total/mostCopies) }

// count returns the number of copies.
func (c rowWeights) count() int64 {
	if c.Total == 0 {
		return 0
	}
	return max(1, int64(math.Round(c.Total/c.unit())))
}
