package file

import (
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/object"
)

// fetch fills p with the bytes of the object from offset on. It makes no more requests once the
// object has changed.
func (o *Object) fetch(ctx context.Context, p []byte, offset int64) error {
	for done := 0; done < len(p); {
		err := o.stores.Patience.Retry(ctx, func(ctx context.Context, beat func()) error {
			if o.changed.Load() {
				return object.ErrChanged
			}
			n, err := o.request(ctx, beat, p[done:], offset+int64(done))
			o.count(n)
			done += n
			return err
		})
		if errors.Is(err, object.ErrChanged) {
			o.changed.Store(true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// request makes one request and returns the number of bytes received. An answer may be shorter than
// requested; an empty one is a temporary error.
func (o *Object) request(ctx context.Context, beat func(), p []byte, offset int64) (n int, err error) {
	body, err := o.object.Get(ctx, offset, int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer body.Close()
	for err == nil && n < len(p) {
		var more int
		more, err = body.Read(p[n:])
		n += more
		beat()
	}
	switch {
	case n == len(p), n > 0 && err == io.EOF:
		return n, nil
	case err == io.EOF:
		return 0, object.Temporary(errors.New("the answer is empty"))
	case n > 0:
		return n, object.Temporary(err)
	}
	return n, err
}
