package stream_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nystream/nystream/stream"
)

// Work that ignores its context is abandoned when the context ends. Otherwise its error or panic is
// passed on.
func TestRunOrAbandon(t *testing.T) {
	broken := errors.New("broken")
	if err := stream.RunOrAbandon(t.Context(), func(context.Context) error { return broken }); err != broken {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() {
			if v := recover(); v != "as it is" {
				t.Errorf("panic %v", v)
			}
		}()
		stream.RunOrAbandon(t.Context(), func(context.Context) error { panic("as it is") })
	}()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		begin := time.Now()
		err := stream.RunOrAbandon(ctx, func(context.Context) error { time.Sleep(time.Hour); return nil })
		if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(time.Hour) // until the abandoned work has ended
	})
}

// slowStore takes a minute to write.
type slowStore struct{ *shelf }

func (s slowStore) Write(name string, data []byte) error {
	time.Sleep(time.Minute)
	return s.shelf.Write(name, data)
}

// RunOrAbandon waits until a fold that keeps states has written its progress.
func TestLeaveWaitsForStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		f := toyFit{cols: 2, src: newTable("t", toyData(1, 200, 2, false))}
		store := slowStore{newShelf()}
		e := runOf(t, store, "test", 2, stream.RunOptions{})
		e.Progress = func(stream.Event) { cancel() }
		err := stream.RunOrAbandon(ctx, func(ctx context.Context) error {
			_, err := f.run(ctx, e)
			return err
		})
		if names, _ := store.Names(); !errors.Is(err, context.Canceled) || len(names) == 0 {
			t.Errorf("%v, states %q", err, names)
		}
	})
}

// Only the outermost RunOrAbandon abandons work. With a context that never ends the work runs on the
// calling goroutine.
func TestLeaveWithin(t *testing.T) {
	f := toyFit{cols: 2, src: newTable("t", toyData(1, 200, 2, false))}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		store := slowStore{newShelf()}
		e := runOf(t, store, "test", 2, stream.RunOptions{})
		e.Progress = func(stream.Event) { cancel() }
		err := stream.RunOrAbandon(ctx, func(ctx context.Context) error {
			return stream.RunOrAbandon(ctx, func(ctx context.Context) error { _, err := f.run(ctx, e); return err })
		})
		if names, _ := store.Names(); !errors.Is(err, context.Canceled) || len(names) == 0 {
			t.Errorf("%v, states %q: the outer one has not waited for them", err, names)
		}
	})
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		stream.RunOrAbandon(context.Background(), func(context.Context) error { runtime.Goexit(); return nil })
		t.Error("it was on another goroutine")
	}()
	<-exited
}
