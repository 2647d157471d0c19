package stream_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nystream/nystream/stream"
)

// stall is the time limit of a single read. Tests that wait for it run on the fake clock of
// synctest, which also fails them if a goroutine remains.
const stall = 30 * time.Second

// foldRows counts rows in a pass.
func foldRows(ctx context.Context, e stream.Engine, src stream.Source) (int, error) {
	acc, err := stream.Fold(ctx, e, "count", src, newSums, func() func(*sums, *stream.Block) error {
		return func(s *sums, b *stream.Block) error { return s.add(b) }
	})
	if err != nil {
		return 0, err
	}
	return acc.rows, nil
}

// sleeper returns a table whose reader blocks at row 20 until woken is closed.
func sleeper(woken chan struct{}) *table {
	src := newTable("sleepy.csv", randomMatrix(1, 40, 2))
	src.step = func() int { return 5 }
	src.before = func(row int) error {
		if row >= 20 {
			<-woken
		}
		return nil
	}
	return src
}

// settle fails unless f holds once every other goroutine is blocked or has ended.
func settle(t *testing.T, what string, f func() bool) {
	t.Helper()
	synctest.Wait()
	if !f() {
		t.Error(what)
	}
}

// inTime runs f and fails if it takes longer than two stalls.
func inTime(t *testing.T, f func()) {
	t.Helper()
	hangs := time.AfterFunc(time.Hour, func() { panic("the pass hangs") })
	defer hangs.Stop()
	began := time.Now()
	f()
	if took := time.Since(began); took > 2*stall {
		t.Errorf("it took %v", took)
	}
}

func TestStalledRead(t *testing.T) {
	for name, after := range map[string]func() error{
		"rows":  func() error { return nil },
		"error": func() error { return errors.New("disk is back, and broken") },
		"end":   func() error { return io.EOF },
		"panic": func() error { panic("disk is back, and upside down") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				woken := make(chan struct{})
				src := sleeper(woken)
				wait := src.before
				src.before = func(row int) error {
					wait(row)
					if row < 20 {
						return nil
					}
					return after()
				}
				inTime(t, func() {
					_, err := foldRows(context.Background(), stream.Engine{Threads: 2, BlockRows: 8}, src)
					checkError(t, err, "sleepy.csv", "no progress for 30s", "hangs")
				})
				if src.opens.Load() == src.closes.Load() {
					t.Error("a reader was closed while it was reading")
				}
				close(woken)
				settle(t, "the reader that woke up is not closed", func() bool { return src.opens.Load() == src.closes.Load() })
			})
		})
	}
}

// An abandoned reading goroutine that wakes up later gives nothing to the pass, not even rows it
// had read before.
func TestAbandonedReaderYieldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, once := range []bool{false, true} {
			woken := make(chan struct{})
			src := sleeper(woken)
			src.info.OnePass = once
			ctx, cancel := context.WithCancel(context.Background())
			if once {
				time.AfterFunc(stall, cancel)
			}
			var over atomic.Bool
			inTime(t, func() {
				err := stream.Produce(ctx, stream.Engine{BlockRows: 16}, src, func(b *stream.Block) bool {
					if over.Load() {
						t.Errorf("block %d was given to a pass that is over", b.Index)
					}
					return true
				})
				if once == (err != context.Canceled) {
					t.Errorf("once %v: error %v", once, err)
				}
			})
			over.Store(true)
			close(woken)
			settle(t, "the reader is not closed", func() bool { return src.closes.Load() == 1 })
			cancel()
		}
	})
}

func TestStalledOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		woken := make(chan struct{})
		src := newTable("sleepy.csv", randomMatrix(1, 40, 2))
		src.open = func() error { <-woken; return nil }
		inTime(t, func() {
			_, err := foldRows(context.Background(), stream.Engine{}, src)
			checkError(t, err, "sleepy.csv", "no progress")
		})
		close(woken)
		settle(t, "a reader that came too late is not closed", func() bool { return src.closes.Load() == 1 })
	})
}

// A slow source is not a stall if each read is below the limit, although block and pass exceed it.
func TestSlowReaderIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newTable("slow.csv", randomMatrix(1, 40, 2))
		src.step = func() int { return 1 }
		src.before = func(int) error { time.Sleep(12 * time.Second); return nil }
		n, err := foldRows(context.Background(), stream.Engine{BlockRows: 64}, src)
		if n != 40 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

// A slow worker is not a stall of the reader.
func TestSlowWorkerIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newTable("fast.csv", randomMatrix(1, 30, 2))
		_, err := stream.Fold(context.Background(), stream.Engine{Threads: 1, BlockRows: 4}, "", src, newSums, func() func(*sums, *stream.Block) error {
			return func(s *sums, b *stream.Block) error { time.Sleep(20 * time.Second); return s.add(b) }
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestPipeMayWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		woken := make(chan struct{})
		src := sleeper(woken)
		src.info.OnePass = true
		time.AfterFunc(3*stall, func() { close(woken) })
		n, err := foldRows(context.Background(), stream.Engine{BlockRows: 8}, src)
		if n != 40 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

// A pass that ends by cancellation or a bad row does not wait for a pipe that nobody writes to.
func TestPassLeavesSilentPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, bad := errors.New("gone"), errors.New("bad row")
		for _, want := range []error{gone, bad} {
			ctx, cancel := context.WithCancelCause(context.Background())
			woken, asleep := make(chan struct{}), make(chan struct{})
			src := sleeper(woken)
			src.info.OnePass = true
			wait, sleeping := src.before, sync.OnceFunc(func() { close(asleep) })
			src.before = func(row int) error {
				if row >= 20 {
					sleeping()
				}
				return wait(row)
			}
			if want == gone {
				go func() {
					<-asleep
					cancel(gone)
				}()
			}
			inTime(t, func() {
				_, err := stream.Fold(ctx, stream.Engine{Threads: 2, BlockRows: 8}, "", src, newSums, func() func(*sums, *stream.Block) error {
					return func(s *sums, b *stream.Block) error {
						if want == bad {
							<-asleep
							return bad
						}
						return s.add(b)
					}
				})
				if !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
			})
			close(woken)
			settle(t, "the reader is not closed", func() bool { return src.closes.Load() == 1 })
			cancel(nil)
		}
	})
}

// At its end a pass over a file waits for the read in progress: the caller may unmap the file next.
func TestCancelWaitsForFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		src := newTable("mapped", randomMatrix(1, 40, 2))
		var reading atomic.Bool
		src.before = func(row int) error {
			if row == 16 {
				reading.Store(true)
				cancel()
				time.Sleep(time.Second)
				reading.Store(false)
			}
			return nil
		}
		_, err := foldRows(ctx, stream.Engine{BlockRows: 8}, src)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if reading.Load() || src.opens.Load() != src.closes.Load() {
			t.Error("the pass ended before its reader")
		}
	})
}

func TestReaderThatGivesNothing(t *testing.T) {
	stream.SetMaxEmpty(t, 1000)
	reads := 0
	src := newTable("empty.csv", randomMatrix(1, 40, 2))
	src.step = func() int { reads++; return 0 }
	_, err := foldRows(context.Background(), stream.Engine{}, src)
	checkError(t, err, "empty.csv", "no rows")
	if !errors.Is(err, io.ErrNoProgress) || reads != 1001 {
		t.Errorf("%v after %d reads", err, reads)
	}
	reads = 0
	src.step = func() int { // long pauses between reads are legal
		if reads++; reads%900 == 0 {
			return 1
		}
		return 0
	}
	if n, err := foldRows(context.Background(), stream.Engine{}, src); n != 40 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// waking is a source with long reads in small steps, each of which calls Heartbeat.
type waking struct {
	*table
	quiet bool
}

func (s waking) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.table.Open(ctx, first)
	return wakingReader{r, ctx, s.quiet}, err
}

type wakingReader struct {
	stream.Reader
	ctx   context.Context
	quiet bool
}

func (r wakingReader) Read(dst *stream.Batch) (int, error) {
	for range 8 {
		time.Sleep(8 * time.Second)
		if !r.quiet {
			stream.Heartbeat(r.ctx)
		}
	}
	return r.Reader.Read(dst)
}

// A read that fills a wide block in many steps is not a stall if it calls Heartbeat.
func TestSlowStepsAreNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, threads := range []int{1, 3} {
			src := waking{newTable("wide.parquet", randomMatrix(1, 40, 2)), false}
			if n, err := foldRows(context.Background(), stream.Engine{Threads: threads, BlockRows: 8}, src); n != 40 || err != nil {
				t.Errorf("%d threads: %d rows, %v", threads, n, err)
			}
		}
		src := waking{newTable("wide.parquet", randomMatrix(1, 40, 2)), true}
		_, err := foldRows(context.Background(), stream.Engine{Threads: 2, BlockRows: 8}, src)
		checkError(t, err, "wide.parquet", "no progress")
		time.Sleep(time.Hour) // until the abandoned read has ended
	})
}
