package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/nystream/nystream/stream"
)

// progress shows one bar for the pass under way. A nil progress shows nothing.
type progress struct {
	out  io.Writer
	bars *mpb.Progress
	bar  *mpb.Bar
	pass string
}

// newProgress returns nil unless out is a terminal and progress is wanted.
func newProgress(out io.Writer, quiet bool) *progress {
	f, ok := out.(*os.File)
	if quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{out: out}
}

// report moves the bar, and begins a new one when another pass has begun.
func (p *progress) report(e stream.Event) {
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
		mpb.AppendDecorators(howFar(e.Total)...))
}

// howFar shows a share and the time left, or a number when the end is not known.
func howFar(total int64) []decor.Decorator {
	if total < 0 {
		return []decor.Decorator{decor.CurrentNoUnit(" %d rows")}
	}
	return []decor.Decorator{decor.Percentage(decor.WCSyncSpace), decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace)}
}

// clear takes the bar away.
func (p *progress) clear() {
	if p == nil || p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bar, p.bars = nil, nil
}
