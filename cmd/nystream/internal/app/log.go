package app

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// messages writes to standard error, in words or as JSON lines. It is safe for concurrent use.
type messages struct {
	mu   sync.Mutex
	out  io.Writer
	json func() bool
}

// LogLine is a line of --log-format json.
type LogLine struct {
	Time     string `json:"time"`
	Level    string `json:"level"` // error, note or progress
	Message  string `json:"message"`
	ExitCode int    `json:"exit_code,omitempty"`
	*PassState
}

// write writes a line as JSON, or text.
func (m *messages) write(line LogLine, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.json() {
		fmt.Fprint(m.out, text)
		return
	}
	line.Time = time.Now().UTC().Format(time.RFC3339Nano)
	json.NewEncoder(m.out).Encode(line) // there is no way to report a failure
}

// PassState is the progress of a pass.
type PassState struct {
	Pass      string         `json:"pass"`
	Done      int64          `json:"done"`            // rows, or tiles of an exact pass
	Total     *int64         `json:"total,omitempty"` // omitted if unknown
	PerSecond *report.Number `json:"per_second,omitempty"`
	Left      *report.Number `json:"seconds_left,omitempty"`
}

// text returns the state in words.
func (s *PassState) text() string {
	words := fmt.Sprintf("pass %s, %s", s.Pass, report.Count(s.Done))
	if s.Total != nil {
		words += " of " + report.Count(*s.Total)
		if *s.Total > 0 {
			words += fmt.Sprintf(" (%.0f %%)", 100*float64(s.Done)/float64(*s.Total))
		}
	}
	if s.PerSecond != nil {
		words += fmt.Sprintf(", %s/s", report.Count(int64(*s.PerSecond)))
	}
	if s.Left != nil {
		words += ", " + report.Seconds(float64(*s.Left)) + " left"
	}
	return words
}
