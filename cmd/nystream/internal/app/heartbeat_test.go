package app

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/stream"
)

// Progress lines have rows, speed and remaining time, in text and JSON. The test controls the clock.
func TestHeartbeatLines(t *testing.T) {
	for _, c := range []struct {
		json bool
		want string
	}{
		{false, `progress: working for 2.0 s
progress: pass landmark, 1,000 of 9,000 (11 %)
progress: pass landmark, 3,000 of 9,000 (33 %), 500/s, 12.0 s left
progress: pass factors, 10
progress: pass factors, 40, 10/s
`},
		{true, `"level":"progress","message":"working for 2.0 s"}
"level":"progress","message":"pass landmark, 1,000 of 9,000 (11 %)","pass":"landmark","done":1000,"total":9000}
"level":"progress","message":"pass landmark, 3,000 of 9,000 (33 %), 500/s, 12.0 s left","pass":"landmark","done":3000,"total":9000,"per_second":500,"seconds_left":12}
"level":"progress","message":"pass factors, 10","pass":"factors","done":10}
"level":"progress","message":"pass factors, 40, 10/s","pass":"factors","done":40,"per_second":10}
`},
	} {
		var out strings.Builder
		at := time.Unix(1000, 0)
		h := newHeartbeat(&messages{out: &out, json: func() bool { return c.json }}, 0, func() time.Time { return at })
		at = at.Add(2 * time.Second)
		h.beat()
		h.report(stream.Event{Pass: "landmark", Done: 1000, Total: 9000})
		at = at.Add(4 * time.Second)
		h.report(stream.Event{Pass: "landmark", Done: 3000, Total: 9000})
		h.report(stream.Event{Pass: "factors", Done: 10, Total: -1})
		at = at.Add(3 * time.Second)
		h.report(stream.Event{Pass: "factors", Done: 40, Total: -1})
		h.end()
		got := out.String()
		if c.json {
			var lines strings.Builder
			for line := range strings.Lines(got) {
				_, rest, ok := strings.Cut(line, `Z",`)
				if !ok || !strings.HasPrefix(line, `{"time":"20`) {
					t.Errorf("no time in %s", line)
				}
				lines.WriteString(rest)
			}
			got = lines.String()
		}
		if got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// Lines appear at intervals without events, and none after the end.
func TestHeartbeatEnds(t *testing.T) {
	in, out := io.Pipe()
	h := newHeartbeat(&messages{out: out, json: func() bool { return false }}, time.Microsecond, time.Now)
	line := make([]byte, len("progress: "))
	if _, err := io.ReadFull(in, line); err != nil || string(line) != "progress: " { // and waits for the first
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, in)
	h.end()
}
