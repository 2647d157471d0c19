// Package storetest runs an in-process S3 server, gofakes3, behind a layer that counts requests and
// injects faults, for tests and for benchmarks of reading objects.
package storetest

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket is the only bucket.
const Bucket = "bucket"

// Server is an S3 server, and a plain web server of the same objects.
type Server struct {
	*httptest.Server
	backend *s3mem.Backend
	s3      http.Handler

	// Latency delays each request.
	Latency time.Duration
	// Requests counts requests for objects, and Bytes the bytes of objects sent.
	Requests, Bytes atomic.Int64

	mu    sync.Mutex
	fault Fault
	log   []string
}

// Fault is called before each request is answered; n counts requests from 1 since Break. If it
// writes the response itself it returns true.
type Fault func(n int, w http.ResponseWriter, r *http.Request) bool

// New starts a server without objects.
func New() *Server {
	s := &Server{backend: s3mem.New()}
	s.s3 = gofakes3.New(s.backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	if err := s.backend.CreateBucket(Bucket); err != nil {
		panic(err)
	}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that are broken on purpose
	s.Start()
	return s
}

// Environment returns the variables that point a client of S3 to the server.
func (s *Server) Environment() []string {
	return []string{"AWS_ENDPOINT_URL_S3=" + s.URL, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=very-secret", "AWS_REGION=us-east-1",
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, "AWS_EC2_METADATA_DISABLED=true"}
}

// Setenv sets these variables with set, such as testing.T.Setenv.
func (s *Server) Setenv(set func(key, value string)) {
	for _, pair := range s.Environment() {
		key, value, _ := strings.Cut(pair, "=")
		set(key, value)
	}
}

// Put creates an object.
func (s *Server) Put(key string, content []byte) {
	if _, err := s.backend.PutObject(Bucket, key, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, bytes.NewReader(content), int64(len(content)), nil); err != nil {
		panic(err)
	}
}

// PutFile creates an object from a file, with the name of the file, and returns its URL.
func (s *Server) PutFile(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	s.Put(filepath.Base(path), content)
	return "s3://" + Bucket + "/" + filepath.Base(path)
}

// Content returns the content of an object, nil if there is none.
func (s *Server) Content(key string) []byte {
	o, err := s.backend.GetObject(Bucket, key, nil)
	if err != nil {
		return nil
	}
	defer o.Contents.Close()
	content, err := io.ReadAll(o.Contents)
	if err != nil {
		panic(err)
	}
	return content
}

// Keys returns the names of all objects.
func (s *Server) Keys() (keys []string) {
	list, err := s.backend.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		panic(err)
	}
	for _, o := range list.Contents {
		keys = append(keys, o.Key)
	}
	return keys
}

// Break installs a fault, nil for none, and clears the log.
func (s *Server) Break(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.log = f, nil
}

// Log returns the requests since Break, as method and address.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.log = append(s.log, r.Method+" "+r.URL.String())
	n, fault := len(s.log), s.fault
	s.mu.Unlock()
	s.Requests.Add(1)
	time.Sleep(s.Latency)
	if fault != nil && fault(n, w, r) {
		return
	}
	if key, ok := strings.CutPrefix(r.URL.Path, "/web/"); ok {
		s.web(w, r, key)
		return
	}
	s.s3.ServeHTTP(&countingWriter{w, &s.Bytes}, r)
}

// web serves an object like a plain web server.
func (s *Server) web(w http.ResponseWriter, r *http.Request, key string) {
	o, err := s.backend.GetObject(Bucket, key, nil)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	content := s.Content(key)
	w.Header().Set("ETag", strconv.Quote(fmt.Sprintf("%x", o.Hash)))
	http.ServeContent(&countingWriter{w, &s.Bytes}, r, key, time.Time{}, bytes.NewReader(content))
}

// countingWriter counts the bytes written.
type countingWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p))) // counted before the client can receive them
	return c.ResponseWriter.Write(p)
}

// Unavailable answers like S3 under too many requests.
func Unavailable(w http.ResponseWriter) {
	w.WriteHeader(http.StatusServiceUnavailable)
	io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
}

// Cut answers correctly, but the connection ends after the given number of bytes of the body.
func (s *Server) Cut(w http.ResponseWriter, r *http.Request, bytes int) {
	whole := httptest.NewRecorder()
	if key, ok := strings.CutPrefix(r.URL.Path, "/web/"); ok {
		s.web(whole, r, key)
	} else {
		s.s3.ServeHTTP(whole, r)
	}
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
	w.WriteHeader(whole.Code)
	w.Write(whole.Body.Bytes()[:min(bytes, whole.Body.Len())])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// IsData reports whether a request reads a part of an object.
func IsData(r *http.Request) bool { return r.Method == http.MethodGet && r.Header.Get("Range") != "" }
