package app

import (
	"fmt"
	"sync"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// heartbeat tells every so often how far the work is, in lines: where there is no terminal
// for a bar.
type heartbeat struct {
	every time.Duration // 0 for a line with every event
	out   *messages
	now   func() time.Time

	mu      sync.Mutex
	started time.Time
	begun   time.Time // of the first event of the pass under way
	first   int64     // what was done by then
	last    stream.Event
	ended   chan struct{}
	ticking sync.WaitGroup
}

func newHeartbeat(out *messages, every time.Duration, now func() time.Time) *heartbeat {
	h := &heartbeat{every: every, out: out, now: now, started: now(), ended: make(chan struct{})}
	if every > 0 {
		h.ticking.Go(h.tick)
	}
	return h
}

// tick beats until the end.
func (h *heartbeat) tick() {
	ticker := time.NewTicker(h.every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			h.beat()
		case <-h.ended:
			return
		}
	}
}

// end ends the beats. No line comes after it has returned.
func (h *heartbeat) end() {
	close(h.ended)
	h.ticking.Wait()
}

// report takes note of how far a pass is.
func (h *heartbeat) report(e stream.Event) {
	h.mu.Lock()
	if e.Pass != h.last.Pass || e.Done < h.last.Done {
		h.begun, h.first = h.now(), e.Done
	}
	h.last = e
	h.mu.Unlock()
	if h.every == 0 {
		h.beat()
	}
}

// beat writes a line.
func (h *heartbeat) beat() {
	h.mu.Lock()
	state, since := h.state(), h.now().Sub(h.started)
	h.mu.Unlock()
	text := fmt.Sprintf("working for %s", report.Seconds(since.Seconds()))
	if state != nil {
		text = state.text()
	}
	h.out.write(LogLine{Level: "progress", Message: text, PassState: state}, "progress: "+text+"\n")
}

// leastMeasured is for how many seconds a pass has to be under way before its speed is told.
const leastMeasured = 1

// state returns how far the pass is, nil before the first.
func (h *heartbeat) state() *PassState {
	e := h.last
	if e.Pass == "" {
		return nil
	}
	s := &PassState{Pass: e.Pass, Done: e.Done}
	if e.Total >= 0 {
		s.Total = &e.Total
	}
	seconds := h.now().Sub(h.begun).Seconds()
	if done := float64(e.Done - h.first); done > 0 && seconds >= leastMeasured {
		s.PerSecond = report.Optional(done / seconds)
		if e.Total >= e.Done {
			s.Left = report.Optional(float64(e.Total-e.Done) * seconds / done)
		}
	}
	return s
}
