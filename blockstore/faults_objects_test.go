package blockstore

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/storetest"
)

// badObjects returns objects of stores and web servers that are missing, change or fail.
func badObjects(t *testing.T) (list []badFile) {
	s := startStore(t)
	rows := "u,v\n" + strings.Repeat("1,2\n3,4\n", 4000) // more than comes with the first answer
	// add reads an object from S3 or the web server with a fault injected.
	add := func(address, what string, fault storetest.Fault) {
		called := address
		if path, ok := strings.CutPrefix(address, "http://server"); ok {
			called = s.URL + path
		}
		list = append(list, badFile{name: "object", called: called, shown: address, what: what, ask: func(ctx context.Context, _ string) error {
			s.Put("a.csv", []byte(rows))
			s.Break(fault)
			defer s.Break(nil)
			src, err := Open(ctx, []string{called}, Options{})
			if err == nil {
				_, err = filetest.ReadAll(src, 7)
			}
			return err
		}})
	}
	answer := func(a func(w http.ResponseWriter, r *http.Request)) storetest.Fault {
		return func(_ int, w http.ResponseWriter, r *http.Request) bool { a(w, r); return true }
	}
	status := func(code int) storetest.Fault {
		return answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	changes := func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 2 {
			s.Put("a.csv", []byte("u,v\n"+strings.Repeat("5,6\n7,8\n", 4000)))
		}
		return false
	}
	const object, page = "s3://bucket/a.csv", "http://server/web/a.csv"
	add("s3://bucket/b.csv", "an object that is not there, and one nearly so", nil)
	add("s3://bucket/zzzzzzzzz.parquet", "an object that is not there", nil)
	add("s3://bucket/none/", "a folder of nothing", nil)
	add("s3://bucket/*.npy", "a glob of nothing", nil)
	add("s3://bucket/[a.csv", "a glob with an open bracket", nil)
	add("s3://nobucket/a.csv", "no bucket", nil)
	add("s3:///a.csv", "no name of a bucket", nil)
	add("http://[::1/a.csv", "no web address", nil)
	add("gs://bucket/a.csv", "another store", nil)
	add("az://bucket/a.csv", "a store without the interface of S3", nil)
	add("swift://bucket/a.csv", "an unknown store", nil)
	add(object, "a server that is busy", answer(func(w http.ResponseWriter, _ *http.Request) { storetest.Unavailable(w) }))
	add(object, "a server that refuses", status(http.StatusForbidden))
	add(object, "a server of another region", status(http.StatusMovedPermanently))
	add(object, "a server that does not understand", status(http.StatusBadRequest))
	add(object, "a server that names no version", answer(func(http.ResponseWriter, *http.Request) {}))
	add(object, "an object that changes", changes)
	add(page, "a page that changes", changes)
	add("http://server/web/none.csv", "a page that is not there", nil)
	add(page, "a server that is busy", status(http.StatusServiceUnavailable))
	add(page, "an address that has expired", status(http.StatusForbidden))
	add(page, "a server that does not understand", status(http.StatusTeapot))
	add(page, "a server without ranges", answer(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, rows) }))
	add(page, "a server without versions", answer(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.csv", time.Time{}, strings.NewReader(rows))
	}))
	add(page, "a server that does not say what range it gives", status(http.StatusPartialContent))
	add(page, "a server that gives another range", func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n < 2 {
			return false
		}
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Range", "bytes 4-7/12")
		w.WriteHeader(http.StatusPartialContent)
		return true
	})
	for address, what := range map[string]string{page: "a web address to write to", "s3://bucket": "a bucket to write to", "s3://nobucket/a.csv": "no bucket to write to"} {
		called := strings.Replace(address, "http://server", s.URL, 1)
		list = append(list, badFile{name: "object", called: called, shown: address, what: what, ask: func(context.Context, string) error {
			_, err := Create(called, Schema{Columns: []string{"x"}, Format: "csv"})
			return err
		}})
	}
	return sorted(list)
}
