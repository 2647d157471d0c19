package remote

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nystream/nystream/blockstore/object"
)

// stallLimit is how long a request may give nothing. It is a variable for the tests.
var stallLimit = 15 * time.Second

var errStalled = object.Temporary(errors.New("nothing came for 15 s"))

// fetch fills p with the bytes of the object from offset on.
func (s *Source) fetch(ctx context.Context, p []byte, offset int64) error {
	done := 0
	return again(ctx, func() error {
		n, err := s.request(ctx, p[done:], offset+int64(done))
		done += n
		return err
	})
}

// request makes one request and says how far it came. An answer that ends early is an
// error that may go away.
func (s *Source) request(ctx context.Context, p []byte, offset int64) (n int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(stallLimit, func() { cancel(errStalled) })
	defer alarm.Stop()
	body, err := s.object.Get(ctx, offset, int64(len(p)))
	if err == nil {
		defer body.Close()
	}
	for err == nil && n < len(p) {
		alarm.Reset(stallLimit)
		var more int
		more, err = body.Read(p[n:])
		n += more
	}
	switch {
	case n == len(p):
		return n, nil
	case errors.Is(context.Cause(ctx), errStalled):
		return n, errStalled
	case err == io.EOF:
		return n, object.Temporary(io.ErrUnexpectedEOF)
	case n > 0:
		return n, object.Temporary(err)
	}
	return n, err
}
