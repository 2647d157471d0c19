package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
)

// count produces the numbers below n.
func count(n int) func(context.Context, func(int) bool) error {
	return func(_ context.Context, yield func(int) bool) error {
		for i := range n {
			if !yield(i) {
				return nil
			}
		}
		return nil
	}
}

// same returns identical workers.
func same(do func(context.Context, int) (int, error)) func() func(context.Context, int) (int, error) {
	return func() func(context.Context, int) (int, error) { return do }
}

// dawdle takes a random time, so that tasks end out of order.
func dawdle(i int) {
	time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
	if i%7 == 0 {
		time.Sleep(time.Millisecond)
	}
}

func TestScheduleCollectsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, threads := range []int{1, 2, 8} {
			var got []int
			err := stream.Schedule(context.Background(), threads, count(100), same(func(_ context.Context, i int) (int, error) {
				dawdle(i)
				return i * i, nil
			}), func(v int) error {
				got = append(got, v)
				return nil
			})
			if err != nil || len(got) != 100 {
				t.Fatalf("%d threads: %d results, error %v", threads, len(got), err)
			}
			for i, v := range got {
				if v != i*i {
					t.Fatalf("%d threads: result %d is %d", threads, i, v)
				}
			}
		}
	})
}

// Whatever fails, and whenever, the first failure in task order is returned, after exactly the
// tasks before it were collected.
func TestScheduleFirstErrorWins(t *testing.T) {
	leavesNothing(t)
	rapid.Check(t, func(t *rapid.T) {
		const tasks = 30
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(0, tasks-1), 0, 6, rapid.ID[int])
		inWorker, inCollect := numbers.Draw(t, "worker"), numbers.Draw(t, "collect")
		inProducer := rapid.IntRange(0, tasks).Draw(t, "producer")
		want, what := inProducer, "producer"
		for i := inProducer - 1; i >= 0; i-- {
			switch {
			case slices.Contains(inWorker, i): // a task that fails is not collected
				want, what = i, "worker"
			case slices.Contains(inCollect, i):
				want, what = i, "collect"
			}
		}
		collected := 0
		err := stream.Schedule(context.Background(), rapid.IntRange(1, 5).Draw(t, "threads"),
			func(ctx context.Context, yield func(int) bool) error {
				count(inProducer)(ctx, yield)
				return fmt.Errorf("producer %d", inProducer)
			},
			same(func(_ context.Context, i int) (int, error) {
				if slices.Contains(inWorker, i) {
					time.Sleep(time.Duration(tasks-i) * 10 * time.Microsecond) // later tasks fail earlier
					return 0, fmt.Errorf("worker %d", i)
				}
				return i, nil
			}),
			func(i int) error {
				if slices.Contains(inCollect, i) {
					return fmt.Errorf("collect %d", i)
				}
				collected++
				return nil
			})
		if wanted := fmt.Sprint(what, " ", want); err == nil || err.Error() != wanted || collected != want {
			t.Fatalf("error %q after %d tasks, want %q", err, collected, wanted)
		}
	})
}

func TestSchedulePanics(t *testing.T) {
	boom := errors.New("boom")
	at := func(where, here string, i int) {
		if where == here && i == 3 {
			panic(boom)
		}
	}
	for _, where := range []string{"producer", "new worker", "worker", "collect"} {
		for _, threads := range []int{1, 4} {
			t.Run(fmt.Sprint(where, threads), func(t *testing.T) {
				leavesNothing(t)
				collected := 0
				defer func() {
					if v := recover(); v != boom {
						t.Errorf("recovered %v", v)
					}
					want := 3
					if where == "new worker" {
						want = 0
					}
					if collected != want {
						t.Errorf("%d tasks collected before the panic, want %d", collected, want)
					}
				}()
				_ = stream.Schedule(context.Background(), threads,
					func(_ context.Context, yield func(int) bool) error {
						for i := 0; yield(i); i++ {
							at(where, "producer", i+1) // the task is made
						}
						return nil
					},
					func() func(context.Context, int) (int, error) {
						at(where, "new worker", 3)
						return func(_ context.Context, i int) (int, error) {
							at(where, "worker", i)
							return i, nil
						}
					},
					func(i int) error {
						at(where, "collect", i)
						collected++
						return nil
					})
				t.Error("no panic")
			})
		}
	}
}

func TestScheduleCancel(t *testing.T) {
	leavesNothing(t)
	gone := errors.New("gone")
	for _, threads := range []int{1, 2, 8} {
		ctx, cancel := context.WithCancelCause(context.Background())
		collected := 0
		err := stream.Schedule(ctx, threads,
			func(_ context.Context, yield func(int) bool) error { // for ever
				for i := 0; yield(i); i++ {
				}
				return nil
			},
			same(func(ctx context.Context, i int) (int, error) {
				if i == 20 {
					cancel(gone)
				}
				if i > 20 {
					<-ctx.Done() // a long task stops when cancelled
				}
				return i, nil
			}),
			func(int) error { collected++; return nil })
		if err != gone || collected > 21 {
			t.Errorf("%d threads: error %v after %d tasks", threads, err, collected)
		}
	}
}

func TestScheduleCancelledBefore(t *testing.T) {
	leavesNothing(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 50 {
		err := stream.Schedule(ctx, 3, count(4), same(func(_ context.Context, i int) (int, error) { return i, nil }), func(int) error { return nil })
		if err != context.Canceled {
			t.Fatalf("error %v", err)
		}
	}
}

// While the first task is blocked, no more tasks than the bound are made.
func TestScheduleBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, threads := range []int{1, 2, 8} {
			var made, ended atomic.Int64
			full := make(chan struct{})
			bound := int64(threads + stream.Lookahead)
			err := stream.Schedule(context.Background(), threads,
				func(_ context.Context, yield func(int) bool) error {
					for i := range 200 {
						if !yield(i) {
							return nil
						}
						if made.Add(1) == bound {
							close(full)
						}
					}
					return nil
				},
				same(func(_ context.Context, i int) (int, error) { return i, nil }),
				func(i int) error {
					if i == 0 {
						<-full // a deadlock if the bound is never reached
						synctest.Wait()
					}
					if alive := made.Load() - ended.Load(); alive > bound {
						t.Errorf("%d threads: %d tasks alive, more than %d", threads, alive, bound)
					}
					ended.Add(1)
					return nil
				})
			if err != nil || ended.Load() != 200 {
				t.Errorf("%d tasks, error %v", ended.Load(), err)
			}
		}
	})
}

func TestScheduleNothing(t *testing.T) {
	leavesNothing(t)
	err := stream.Schedule(context.Background(), 2, count(0), func() func(context.Context, int) (int, error) {
		t.Error("a worker was made for nothing")
		return nil
	}, func(int) error { return errors.New("collected nothing") })
	if err != nil {
		t.Error(err)
	}
}

// At most one worker is made per thread.
func TestScheduleWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		err := stream.Schedule(context.Background(), 3, count(100), func() func(context.Context, int) (int, error) {
			made.Add(1)
			busy := new(atomic.Bool)
			return func(_ context.Context, i int) (int, error) {
				if busy.Swap(true) {
					return 0, errors.New("a worker does two tasks at a time")
				}
				dawdle(i)
				busy.Store(false)
				return i, nil
			}
		}, func(int) error { return nil })
		if err != nil || made.Load() < 1 || made.Load() > 3 {
			t.Errorf("%d workers, error %v", made.Load(), err)
		}
	})
}

// checkError fails unless the message of err contains all parts.
func checkError(t interface {
	Helper()
	Errorf(string, ...any)
}, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q has no %q", err, p)
		}
	}
}

// checkPanic fails unless f panics with a message that contains part.
func checkPanic(t *testing.T, part string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text := fmt.Sprint(recover()); !strings.Contains(text, part) {
			t.Errorf("panic %q, want one with %q", text, part)
		}
	}()
	f()
}
