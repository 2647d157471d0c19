package stream

import (
	"context"
	"fmt"
	"sync"
)

// The scheduler. All parallel work of Nystream runs here: one producer goroutine makes tasks, a
// fixed number of workers execute them, and the calling goroutine collects the results in task
// order. Collecting in order needs only a small window of finished results and has two benefits:
// sums are formed in the same order whoever finishes first, and of several errors the first one in
// data order is reported.
//
// Each task takes a token, which is returned when its result has been collected, so at most
// threads+lookahead tasks exist at any time. Memory is therefore independent of the number of rows.

// lookahead is the number of tasks that may wait for a worker, so that reading overlaps with
// computing.
const lookahead = 2

// task is a numbered unit of work, or the error that ended production.
type task[T any] struct {
	seq  int64
	item T
	err  error
}

// result is the result or the error of a task.
type result[R any] struct {
	seq   int64
	value R
	err   error
}

// schedule runs the tasks yielded by produce on the given number of workers, and passes the results
// to collect in task order, on the calling goroutine. worker is called once per worker and returns
// the function that executes its tasks, which may own scratch memory. produce must stop when yield
// returns false. finish is called after all results are collected, while the context of produce and
// the workers is still valid: a reader closed after its context has ended does not check whether
// its file changed.
//
// The first error in task order is returned. A panic in a worker or in the producer is raised again
// on the calling goroutine.
func schedule[T, R any](ctx context.Context, threads int, produce func(ctx context.Context, yield func(T) bool) error,
	worker func() func(context.Context, T) (R, error), collect func(R) error, finish func() error) error {
	var wg sync.WaitGroup
	defer wg.Wait() // also when a panic passes through
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	tasks := make(chan task[T])
	results := make(chan result[R], threads+lookahead+1) // large enough that workers never block
	tokens := make(chan struct{}, threads+lookahead)

	for range threads {
		wg.Go(func() { work(inner, worker, tasks, results) })
	}
	wg.Go(func() { // waited for, since it may still be reading a file
		defer close(tasks)
		makeTasks(inner, produce, tokens, tasks)
	})
	go func() {
		wg.Wait()
		close(results)
	}()
	if err := collectInOrder(ctx, results, tokens, collect); err != nil {
		return err
	}
	return finish()
}

// Each calls do with the numbers 0 to n-1 on the given number of threads, 0 for one per processor,
// and returns the error of the lowest number. It is meant for work outside passes over rows.
func Each(ctx context.Context, threads, n int, do func(i int) error) error {
	return Collect(ctx, threads, n, func(i int) (struct{}, error) { return struct{}{}, do(i) }, func(struct{}) error { return nil })
}

// Collect is Each with results: it calls collect with every result of do, in ascending order, on
// the calling goroutine. At most two more results than threads exist at any time.
func Collect[R any](ctx context.Context, threads, n int, do func(i int) (R, error), collect func(R) error) error {
	return schedule(ctx, Engine{Threads: threads}.Workers(), func(_ context.Context, yield func(int) bool) error {
		for i := range n {
			if !yield(i) {
				break
			}
		}
		return nil
	}, func() func(context.Context, int) (R, error) {
		return func(_ context.Context, i int) (R, error) { return do(i) }
	}, collect, func() error { return nil })
}

// makeTasks numbers the items of produce and sends them, each for a token. The error of produce
// becomes the last task, so that it is reported after everything before it.
func makeTasks[T any](ctx context.Context, produce func(context.Context, func(T) bool) error, tokens chan struct{}, tasks chan<- task[T]) {
	seq := int64(0)
	send := func(t task[T]) bool {
		select {
		case tokens <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		select {
		case tasks <- t:
			seq++
			return true
		case <-ctx.Done():
			return false
		}
	}
	err := recovered(func() error {
		return produce(ctx, func(item T) bool { return send(task[T]{seq: seq, item: item}) })
	})
	if err != nil {
		send(task[T]{seq: seq, err: err})
	}
}

// work executes tasks until there are no more.
func work[T, R any](ctx context.Context, worker func() func(context.Context, T) (R, error), tasks <-chan task[T], results chan<- result[R]) {
	var do func(context.Context, T) (R, error)
	for t := range tasks {
		r := result[R]{seq: t.seq, err: t.err}
		if r.err == nil {
			r.err = recovered(func() (err error) {
				if do == nil {
					do = worker()
				}
				r.value, err = do(ctx, t.item)
				return err
			})
		}
		select {
		case results <- r:
		case <-ctx.Done():
			return
		}
	}
}

// collectInOrder passes the results to collect in task order.
func collectInOrder[R any](ctx context.Context, results <-chan result[R], tokens <-chan struct{}, collect func(R) error) error {
	pending := map[int64]result[R]{}
	next := int64(0)
	for {
		r, ok := pending[next]
		if !ok {
			select {
			case r, ok = <-results:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if !ok {
				return context.Cause(ctx)
			}
			if r.seq != next {
				pending[r.seq] = r
				continue
			}
		}
		delete(pending, next)
		next++
		if err := context.Cause(ctx); err != nil {
			return err // select may choose a ready result although ctx has ended
		}
		if r.err != nil {
			rethrow(r.err)
			return r.err
		}
		if err := collect(r.value); err != nil {
			return err
		}
		<-tokens
	}
}

// panicError carries a panic from one goroutine to another.
type panicError struct{ value any }

func (p panicError) Error() string { return fmt.Sprintf("stream: panic in a worker: %v", p.value) }

// recovered runs f and turns a panic into a panicError.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError{v}
		}
	}()
	return f()
}

// rethrow panics if err carries a panic of another goroutine.
func rethrow(err error) {
	if p, ok := err.(panicError); ok {
		panic(p.value)
	}
}
