// Package opening says, in a context, who opens a source: a pass, whose readers open it at several rows, or one that
// looks at a few rows.
package opening

import (
	"context"
	"sync"
)

// Pass is one reading of the rows. The zero value is ready to use. It must not be copied.
type Pass struct{ seen sync.Map }

type key struct{}

// look is what the context of [Look] carries, in place of a pass.
var look = new(Pass)

// On returns the context with which a reader of the pass opens a source.
func (p *Pass) On(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, p) }

// Look returns the context for reading a few rows, to tell the source from another. It is no pass.
func Look(ctx context.Context) context.Context { return look.On(ctx) }

// Looks reports whether ctx is one of [Look].
func Looks(ctx context.Context) bool { return of(ctx) == look }

// IsNew reports whether the opening with ctx begins a pass over src, which must be comparable: the first opening of a
// pass does, and every opening outside a pass, but for a [Look].
func IsNew(ctx context.Context, src any) bool {
	switch p := of(ctx); p {
	case nil:
		return true
	case look:
		return false
	default:
		_, seen := p.seen.LoadOrStore(src, true)
		return !seen
	}
}

// of returns the pass of a context, look, or nil.
func of(ctx context.Context) *Pass {
	p, _ := ctx.Value(key{}).(*Pass)
	return p
}
