package column

import (
	"slices"

	"github.com/nystream/nystream/stream"
)

// constantPass is a pass whose rows have kept columns of one value each, such as the value of a
// folder key.
type constantPass struct {
	Pass
	choice *Choice
}

// withConstants adds the constants among the kept columns of c to the rows of a pass.
func withConstants(c *Choice, p Pass) Pass {
	if !slices.ContainsFunc(c.Kept, func(k Kept) bool { return k.Column < 0 }) {
		return p
	}
	return &constantPass{p, c}
}

// Next implements Pass.
func (p *constantPass) Next(dst *stream.Batch, at int) (int, error) {
	n, err := p.Pass.Next(dst, at)
	p.choice.AppendConstants(dst, n)
	return n, err
}

// AppendConstants appends the constants of n rows to the kept columns of dst that have one.
func (c *Choice) AppendConstants(dst *stream.Batch, n int) {
	for k := range dst.Kept {
		if c.Kept[k].Column < 0 {
			for range n {
				dst.Kept[k].Append(&c.Kept[k].Constant, 0, 1)
			}
		}
	}
}
