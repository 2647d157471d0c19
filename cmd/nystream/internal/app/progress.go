package app

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/nystream/nystream/stream"
)

// progress shows a bar for the current pass, or prints lines if there is no terminal. A nil progress shows nothing.
type progress struct {
	lines *heartbeat // instead of the bar

	out  io.Writer
	bars *mpb.Progress
	bar  *mpb.Bar
	pass string
}

// newProgress returns progress on standard error: a bar on a terminal, else lines at the given interval.
func newProgress(out *messages, every time.Duration) *progress {
	if !out.json() && IsTerminal(out.out) {
		return &progress{out: out.out}
	}
	return &progress{lines: newHeartbeat(out, every, time.Now)}
}

// End removes the bar, or ends the lines.
func (p *progress) End() {
	if p.clear(); p != nil && p.lines != nil {
		p.lines.end()
	}
}

// Report updates the bar, and starts a new one for each pass.
func (p *progress) Report(e stream.Event) {
	if p.lines != nil {
		p.lines.report(e)
		return
	}
	if p.bar == nil || p.pass != e.Pass {
		p.clear()
		p.begin(e)
	}
	p.bar.SetCurrent(e.Done)
}

func (p *progress) begin(e stream.Event) {
	p.pass = e.Pass
	p.bars = mpb.New(mpb.WithOutput(p.out), mpb.WithWidth(40))
	p.bar = p.bars.AddBar(max(0, e.Total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(e.Pass, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(progressDecorators(e.Total)...))
}

// progressDecorators shows the percentage, the speed and the remaining time; without a known total, the number and the
// speed.
func progressDecorators(total int64) []decor.Decorator {
	speed := decor.AverageSpeed(0, "%.0f/s", decor.WCSyncSpace)
	if total < 0 {
		return []decor.Decorator{decor.CurrentNoUnit(" %d rows"), speed}
	}
	return []decor.Decorator{decor.Percentage(decor.WCSyncSpace), speed, decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace)}
}

// clear removes the bar.
func (p *progress) clear() {
	if p == nil || p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bar, p.bars = nil, nil
}
