package main

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/storetest"
)

// Failing requests end with exit code 1, before and while rows are read. A missing object ends with 3.
func TestFailuresOfStores(t *testing.T) {
	s := storetest.New()
	defer s.Close()
	s.Setenv(t.Setenv)
	s.Put("a.csv", bytes.Repeat([]byte("1,2\n3,4\n"), 4000))
	status := func(code int) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code) }
	}
	for _, address := range []string{"s3://bucket/a.csv", s.URL + "/web/a.csv"} {
		for name, c := range map[string]struct {
			answer func(w http.ResponseWriter)
			first  int // request that it answers
			code   int
		}{
			"403":         {status(http.StatusForbidden), 1, app.ExitFailed},
			"403 later":   {status(http.StatusForbidden), 2, app.ExitFailed},
			"503":         {status(http.StatusServiceUnavailable), 1, app.ExitFailed},
			"503 later":   {status(http.StatusServiceUnavailable), 2, app.ExitFailed},
			"reset":       {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 1, app.ExitFailed},
			"reset later": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 2, app.ExitFailed},
			"404":         {status(http.StatusNotFound), 1, app.ExitData},
		} {
			s.Break(func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n >= c.first {
					c.answer(w)
				}
				return n >= c.first
			})
			stall := "50ms"
			if c.code == app.ExitData {
				stall = "30s" // on a busy machine too, the answer comes
			}
			var messages bytes.Buffer
			code := run(t.Context(), []string{"inspect", address, "--no-header", "--stall", stall}, nil, io.Discard, &messages)
			if code != c.code {
				t.Errorf("%s, %s: exit code %d, want %d: %s", address, name, code, c.code, &messages)
			}
		}
	}
}
