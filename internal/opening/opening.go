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

type opener struct {
	pass *Pass // nil outside a pass
	look bool
}

// On returns the context with which a reader of the pass opens a source.
func (p *Pass) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, opener{pass: p})
}

// Look returns the context for reading a few rows, to tell the source from another. It is no pass.
func Look(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, opener{look: true})
}

// Looks reports whether ctx is one of [Look].
func Looks(ctx context.Context) bool { return of(ctx).look }

// IsNew reports whether the opening with ctx begins a pass over src, which must be comparable: the first opening of a
// pass does, and every opening outside a pass, but for a [Look].
func IsNew(ctx context.Context, src any) bool {
	o := of(ctx)
	if o.pass == nil {
		return !o.look
	}
	_, seen := o.pass.seen.LoadOrStore(src, true)
	return !seen
}

func of(ctx context.Context) opener {
	o, _ := ctx.Value(key{}).(opener)
	return o
}
