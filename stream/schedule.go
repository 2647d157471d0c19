package stream

import (
	"context"
	"fmt"
	"sync"
)

// The scheduler. Everything in Nystream that runs in parallel runs here: one
// producer goroutine makes tasks, a fixed number of workers carry them out, and
// the calling goroutine collects the results in the order in which the tasks
// were made. In-order collection costs nothing but a small window of finished
// results, and buys two things: the sums are made in one order whoever finished
// first, and of several errors the one that comes first in the data is reported.
//
// A token is taken for each task made and given back when its result has been
// collected, so that at most threads+lookahead tasks exist at any time. That
// bound is what makes memory independent of the number of rows.

// lookahead is how many tasks may wait for a worker, so that reading overlaps
// with computing.
const lookahead = 2

// task is a numbered unit of work, or the error that ended the production.
type task[T any] struct {
	seq  int64
	item T
	err  error
}

// result is what became of a task.
type result[R any] struct {
	seq   int64
	value R
	err   error
}

// schedule runs the tasks that produce yields on the given number of workers
// and hands the results to collect in task order, on the calling goroutine.
// worker is called once per worker and returns the function that does its
// tasks, which may own scratch memory. produce must stop when yield returns
// false. finish is called when all results are collected, while the context that
// produce and the workers had goes on: a reader that is closed after it has ended does
// not look whether its file was changed.
//
// The error that is first in task order wins. A panic in a worker or in the
// producer is raised again on the calling goroutine.
func schedule[T, R any](ctx context.Context, threads int, produce func(ctx context.Context, yield func(T) bool) error,
	worker func() func(context.Context, T) (R, error), collect func(R) error, finish func() error) error {
	var wg sync.WaitGroup
	defer wg.Wait() // also when a panic passes through
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	tasks := make(chan task[T])
	results := make(chan result[R], threads+lookahead+1) // never blocks a worker
	tokens := make(chan struct{}, threads+lookahead)

	for range threads {
		wg.Go(func() { work(inner, worker, tasks, results) })
	}
	wg.Go(func() { // waited for as well: it may still be reading a file
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

// Each calls do with the numbers 0 to n-1 on so many threads, 0 for one for each
// processor, and returns the error of the lowest number. It is for what is to be done
// before there are rows to pass over.
func Each(ctx context.Context, threads, n int, do func(i int) error) error {
	return Collect(ctx, threads, n, func(i int) (struct{}, error) { return struct{}{}, do(i) }, func(struct{}) error { return nil })
}

// Collect is Each with results: it calls collect with every result of do, in ascending order
// and on the calling goroutine. At most two more results than threads exist at any time.
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

// makeTasks numbers the items of produce and sends them, each against a token.
// The error of produce travels as a last task, so that it is reported after
// everything that came before it.
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

// work carries out tasks until there are no more.
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

// collectInOrder gives the results to collect in the order of their numbers.
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
			return err // select takes a result that is there as soon as the end of ctx
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
