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
	interval time.Duration // 0 for a line with every event
	out      *messages
	now      func() time.Time

	mu          sync.Mutex
	started     time.Time
	passStart   time.Time // time of the first event of the current pass
	doneAtStart int64     // rows done at that time
	lastEvent   stream.Event
	stop        chan struct{}
	ticking     sync.WaitGroup
}

func newHeartbeat(out *messages, every time.Duration, now func() time.Time) *heartbeat {
	h := &heartbeat{interval: every, out: out, now: now, started: now(), stop: make(chan struct{})}
	if every > 0 {
		h.ticking.Go(h.tick)
	}
	return h
}

// tick prints lines until end is called.
func (h *heartbeat) tick() {
	ticker := time.NewTicker(h.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			h.beat()
		case <-h.stop:
			return
		}
	}
}

// end stops the lines. None is printed after it returns.
func (h *heartbeat) end() {
	close(h.stop)
	h.ticking.Wait()
}

// report records the progress of a pass.
func (h *heartbeat) report(e stream.Event) {
	h.mu.Lock()
	if e.Pass != h.lastEvent.Pass || e.Done < h.lastEvent.Done {
		h.passStart, h.doneAtStart = h.now(), e.Done
	}
	h.lastEvent = e
	h.mu.Unlock()
	if h.interval == 0 {
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

// minMeasuredSeconds is the time in seconds before the speed of a pass is shown.
const minMeasuredSeconds = 1

// state returns the progress of the pass, nil before the first.
func (h *heartbeat) state() *PassState {
	e := h.lastEvent
	if e.Pass == "" {
		return nil
	}
	s := &PassState{Pass: e.Pass, Done: e.Done}
	if e.Total >= 0 {
		s.Total = &e.Total
	}
	seconds := h.now().Sub(h.passStart).Seconds()
	if done := float64(e.Done - h.doneAtStart); done > 0 && seconds >= minMeasuredSeconds {
		s.PerSecond = report.Optional(done / seconds)
		if e.Total >= e.Done {
			s.Left = report.Optional(float64(e.Total-e.Done) * seconds / done)
		}
	}
	return s
}
