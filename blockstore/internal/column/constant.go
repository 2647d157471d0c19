package column

import (
	"slices"

	"github.com/nystream/nystream/stream"
)

// constantPass is a pass whose rows also have constant numbers and kept columns, such as the value
// of a folder key.
type constantPass struct {
	Pass
	choice *Choice
}

// withConstants adds the fixed numbers of c and the constants among its kept columns to the rows of a pass.
func withConstants(c *Choice, p Pass) Pass {
	if len(c.Fixed) == 0 && !slices.ContainsFunc(c.Kept, func(k Kept) bool { return k.Column < 0 }) {
		return p
	}
	return &constantPass{p, c}
}

// Next implements Pass.
func (p *constantPass) Next(dst *stream.Batch, at int) (int, error) {
	n, err := p.Pass.Next(dst, at)
	p.choice.AddConstants(dst, at, n)
	return n, err
}

// AddConstants stores the fixed numbers in n rows of dst, starting at row at, and appends the
// constants to its kept columns.
func (c *Choice) AddConstants(dst *stream.Batch, at, n int) {
	for _, f := range c.Fixed {
		for i := at; i < at+n; i++ {
			dst.X.Data[i*dst.X.Stride+f.Slot] = f.Value
		}
	}
	for k := range dst.Kept {
		if c.Kept[k].Column < 0 {
			for range n {
				dst.Kept[k].Append(c.Kept[k].Constant, 0, 1)
			}
		}
	}
}
