package main

import (
	"runtime"
	"time"
)

// A crew is a number of threads that begin their work together. While it lives
// no more than its threads run Go code.
type crew struct {
	work   []chan func(thread int)
	done   chan struct{}
	before int
}

func newCrew(threads int) *crew {
	c := &crew{done: make(chan struct{}), before: runtime.GOMAXPROCS(threads)}
	for i := range threads {
		work := make(chan func(thread int))
		c.work = append(c.work, work)
		go c.serve(i, work)
	}
	return c
}

// serve runs on an operating system thread of its own.
func (c *crew) serve(thread int, work chan func(thread int)) {
	runtime.LockOSThread()
	for f := range work {
		f(thread)
		c.done <- struct{}{}
	}
}

// run calls f on every thread and returns the time until the last one is done.
func (c *crew) run(f func(thread int)) time.Duration {
	began := time.Now()
	for _, w := range c.work {
		w <- f
	}
	for range c.work {
		<-c.done
	}
	return time.Since(began)
}

func (c *crew) close() {
	for _, w := range c.work {
		close(w)
	}
	runtime.GOMAXPROCS(c.before)
}
