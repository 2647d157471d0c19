package file

import (
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/object"
)

// fetch fills p with the bytes of the object from offset on. After the object was changed no
// more requests are made.
func (s *Object) fetch(ctx context.Context, p []byte, offset int64) error {
	for done := 0; done < len(p); {
		err := object.Retry(ctx, func(ctx context.Context) error {
			if s.changed.Load() {
				return object.ErrChanged
			}
			n, err := s.request(ctx, p[done:], offset+int64(done))
			done += n
			return err
		})
		if errors.Is(err, object.ErrChanged) {
			s.changed.Store(true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// request makes one request and says how far it came. An answer may be of a shorter range;
// one that gives nothing is an error that may go away.
func (s *Object) request(ctx context.Context, p []byte, offset int64) (n int, err error) {
	body, err := s.object.Get(ctx, offset, int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer body.Close()
	for err == nil && n < len(p) {
		var more int
		more, err = body.Read(p[n:])
		n += more
		object.Beat(ctx)
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
