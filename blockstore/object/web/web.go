// Package web reads http:// and https:// URLs. The server must support ranges and identify the
// version of its content by an ETag or a modification time.
package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// Store reads over HTTP.
type Store struct{ client *http.Client }

// New returns a store for http and https. It uses the proxy of the environment.
func New() *Store {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.DisableCompression = true // ranges refer to the stored bytes
	return &Store{&http.Client{Transport: transport, CheckRedirect: object.Redirect}}
}

// page is one version of the content of a URL.
type page struct {
	store *Store
	url   string
	size  int64
	// etag, or else modified, identifies the version.
	etag, modified string
}

// Size implements object.Object.
func (p *page) Size() int64 { return p.size }

// Version returns the identifier of this version.
func (p *page) Version() string { return cmp.Or(p.etag, p.modified) }

// Open requests the first bytes with GET, since many servers and presigned URLs do not allow HEAD.
func (s *Store) Open(ctx context.Context, address string, head int64) (object.Object, []byte, error) {
	p := &page{store: s, url: address}
	answer, err := s.get(ctx, p, 0, max(1, head))
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	if err := p.describe(answer); err != nil {
		return nil, nil, err
	}
	first, err := io.ReadAll(io.LimitReader(object.Body(answer.Body), min(head, p.size)))
	return p, first, err
}

// describe takes size and version from the first answer.
func (p *page) describe(answer *http.Response) (err error) {
	switch answer.StatusCode {
	case http.StatusRequestedRangeNotSatisfiable: // the content is empty
		if answer.Header.Get("Content-Range") != "bytes */0" {
			return status(answer)
		}
	case http.StatusPartialContent:
		var first int64
		if first, p.size, err = contentRange(answer); err == nil && first != 0 {
			err = errOtherRange(first, 0)
		}
		if err != nil {
			return err
		}
	case http.StatusOK:
		if answer.ContentLength != 0 {
			return stream.NewDataError("", "the server gives no ranges of it").WithRemedy("download the file first, such as by curl -O")
		}
	default:
		return status(answer)
	}
	if p.etag = answer.Header.Get("ETag"); strings.HasPrefix(p.etag, "W/") {
		p.etag = "" // a weak ETag cannot be used for ranges
	}
	p.modified = answer.Header.Get("Last-Modified")
	if p.etag == "" && p.modified == "" {
		return stream.NewDataError("", "the server names no version of it, neither by an ETag nor by a time, so that a change would go unseen").
			WithRemedy("download the file first, such as by curl -O")
	}
	return nil
}

// Get implements object.Object.
func (p *page) Get(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	answer, err := p.store.get(ctx, p, offset, length)
	if err != nil {
		return nil, err
	}
	if err := p.check(answer, offset); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return object.Body(answer.Body), nil
}

// check returns an error unless an answer has the requested range and version.
func (p *page) check(answer *http.Response, offset int64) error {
	switch answer.StatusCode {
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusOK, http.StatusNotFound, http.StatusGone:
		return object.ErrChanged // a newer or shorter version, or none
	case http.StatusPartialContent:
	default:
		return status(answer)
	}
	first, size, err := contentRange(answer)
	switch {
	case err != nil:
		return err
	case size != p.size || p.etag != "" && answer.Header.Get("ETag") != p.etag || p.etag == "" && answer.Header.Get("Last-Modified") != p.modified:
		return object.ErrChanged
	case first != offset:
		return errOtherRange(first, offset)
	}
	return nil
}

func errOtherRange(first, offset int64) error {
	return fmt.Errorf("the server gives another range than it was asked for: from byte %d, not %d", first, offset)
}

// get requests a range of the version, if that is known.
func (s *Store) get(ctx context.Context, p *page, offset, length int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return nil, stream.NewDataError("", "this is no web address").WithRemedy("write https://HOST/PATH")
	}
	request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	request.Header.Set("Accept-Encoding", "identity")
	switch {
	case p.etag != "":
		request.Header.Set("If-Match", p.etag)
	case p.modified != "":
		request.Header.Set("If-Unmodified-Since", p.modified)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, object.NetworkError(err)
	}
	return answer, nil
}

// contentRange returns the offset of the range of an answer, and the total size.
func contentRange(answer *http.Response) (first, size int64, err error) {
	var last int64
	text := answer.Header.Get("Content-Range")
	if n, _ := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &size); n != 3 || first < 0 || last < first || size <= last {
		return 0, 0, stream.NewDataError("", "the server gives a range and does not say of what: Content-Range is %q", text).
			WithRemedy("download the file first, such as by curl -O")
	}
	return first, size, nil
}

// status returns the error for an unsuccessful answer.
func status(answer *http.Response) error {
	err := fmt.Errorf("the server says %s", answer.Status)
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		return fs.ErrNotExist
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return object.Failure(stream.NewDataError("", "%w", err).WithRemedy("has a signed address expired?"))
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500 && code != http.StatusNotImplemented:
		return object.Temporary(err)
	}
	return err
}

// errReadOnly is the error of all modifying operations.
var errReadOnly = stream.NewDataError("", "nothing is written to web addresses").
	WithRemedy("name a file or an object in s3://")

// List implements object.Store: a web server has no listing.
func (s *Store) List(context.Context, string, func(string, object.Object) error) error {
	return stream.NewDataError("", "a web server does not list what it has").WithRemedy("name each file")
}

// Put implements object.Store.
func (s *Store) Put(context.Context, string, io.ReaderAt, int64, object.Patience) error {
	return errReadOnly
}

// CanPut implements object.Store.
func (s *Store) CanPut(context.Context, string) error { return errReadOnly }
