package app

import (
	"fmt"
	"sync"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// heartbeat prints the progress of the work in lines at regular intervals, when there is no terminal for a bar.
type heartbeat struct {
	every time.Duration // 0 for a line with every event
	out   *messages
	now   func() time.Time

	mu      sync.Mutex
	started time.Time
	begun   time.Time // time of the first event of the current pass
	first   int64     // rows done at that time
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

// tick prints lines until end is called.
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

// end stops the lines. None is printed after it returns.
func (h *heartbeat) end() {
	close(h.ended)
	h.ticking.Wait()
}

// report records the progress of a pass.
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

// beat prints a line.
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

// leastMeasured is the time in seconds before the speed of a pass is shown.
const leastMeasured = 1

// state returns the progress of the pass, nil before the first.
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
