// Package opening records in a context why a source is opened: by a pass, whose readers may open it
// at several rows, or to look at a few rows.
package opening

import (
	"context"
	"sync"
)

// Pass identifies one pass over a source. The zero value is ready to use. It must not be copied.
type Pass struct{ seen sync.Map }

type key struct{}

// lookPass marks the context of [Look].
var lookPass = new(Pass)

// On returns the context with which a reader of the pass opens a source.
func (p *Pass) On(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, p) }

// Look returns the context for reading a few rows outside a pass, such as for a fingerprint.
func Look(ctx context.Context) context.Context { return lookPass.On(ctx) }

// Looks reports whether ctx comes from [Look].
func Looks(ctx context.Context) bool { return passOf(ctx) == lookPass }

// IsNew reports whether opening src with ctx begins a pass over it: the first opening within a pass
// does, and so does every opening outside of one, except by [Look]. src must be comparable.
func IsNew(ctx context.Context, src any) bool {
	switch p := passOf(ctx); p {
	case nil:
		return true
	case lookPass:
		return false
	default:
		_, seen := p.seen.LoadOrStore(src, true)
		return !seen
	}
}

// passOf returns the pass of a context, look, or nil.
func passOf(ctx context.Context) *Pass {
	p, _ := ctx.Value(key{}).(*Pass)
	return p
}
