// Package object defines how blockstore accesses remote objects: in S3, or on web servers. A
// [Store] serves the URLs of a scheme once it is registered:
//
//	object.Register(ctx, "s3", s3.New(), object.Patience{})
//
// From then on [github.com/nystream/nystream/blockstore.Open] and all other functions that read or
// write files accept such URLs. A [github.com/nystream/nystream/blockstore.Session] may have
// [Stores] of its own instead. A program that imports no store links none. Packages s3 and web are
// stores.
//
// Everything that objects have in common is outside the stores: ranges are read ahead and cached,
// requests are retried, globs are expanded, and written content is collected first.
//
// A store caches no content. A session of blockstore caches chunks of objects for all its readers,
// and so it does versions: an object is looked up once and then read in that version. A store
// belongs to its creator. It may serve several [Stores] and sessions at the same time.
package object

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/nystream/nystream/stream"
)

// Store gives access to the objects of a scheme. It must be safe for concurrent use, and is never
// closed. Its errors state the problem and a remedy; they need not name the object, and must not
// contain credentials. [Temporary] marks errors of requests that may succeed later: Open, List and
// Get are then retried. A missing object is reported as fs.ErrNotExist.
type Store interface {
	// Open returns the current version of an object, and optionally its first bytes, at most head,
	// which saves a request. The caller owns these. The object needs no closing and outlives ctx.
	Open(ctx context.Context, url string, head int64) (o Object, first []byte, err error)
	// List calls each for every object whose URL begins with prefix, in ascending order, on the
	// calling goroutine. An error of each ends the listing and is returned.
	List(ctx context.Context, prefix string, each func(url string, o Object) error) error
	// Put writes an object atomically. It retries its requests with p.Retry. It may read content
	// concurrently at several offsets, but not after it has returned.
	Put(ctx context.Context, url string, content io.ReaderAt, size int64, p Patience) error
	// CanPut returns an error if Put is known to fail.
	CanPut(ctx context.Context, url string) error
}

// Object is one version of an object. It must be safe for concurrent use.
type Object interface {
	// Size is its length in bytes.
	Size() int64
	// Get starts reading a nonempty range inside the object. It may return fewer bytes. It returns
	// ErrChanged if there is a newer version. The caller closes the reader, and reads it on one
	// goroutine. Bytes before an error are valid: the caller requests the rest again. Reading ends
	// with ctx.
	Get(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// ErrChanged reports that the object has a newer version.
var ErrChanged error = stream.NewDataError("", "the object was changed after it was opened").WithKind(stream.Changed).WithRemedy("start again")

// temporary marks an error.
type temporary struct{ error }

func (e temporary) Unwrap() error { return e.error }

// Temporary marks the error of a request that may succeed later. The mark includes that of
// [Failure].
func Temporary(err error) error {
	e := stream.AsDataError(err).WithKind(stream.Unreachable)
	e.Err = temporary{err}
	return e
}

// IsTemporary reports whether [Temporary] has marked an error.
func IsTemporary(err error) bool { return errors.As(err, new(temporary)) }

// Failure marks an error of the server or the network, which does not concern the data: its kind is
// [stream.Unreachable].
func Failure(err error) error { return stream.AsDataError(err).WithKind(stream.Unreachable) }

// Stores maps URL schemes to stores. It must not change while in use, and is safe for concurrent
// use.
type Stores struct {
	// Context ends the requests of functions without a context argument, such as those that write
	// files. Nil means that they never end.
	Context context.Context
	// Patience limits the time of requests.
	Patience Patience
	// ByScheme maps schemes, such as s3, to stores.
	ByScheme map[string]Store
}

// Base returns Context, or the background context if it is nil.
func (s *Stores) Base() context.Context {
	if s.Context == nil {
		return context.Background()
	}
	return s.Context
}

// registered holds the stores of this process.
var registered struct {
	sync.RWMutex
	Stores
}

// Register registers a store for the URLs of a scheme, such as s3, for all callers without [Stores]
// of their own. The last ctx and patience apply to all schemes.
func Register(ctx context.Context, scheme string, s Store, p Patience) {
	registered.Lock()
	defer registered.Unlock()
	all := maps.Clone(registered.ByScheme) // the map may be in use
	if all == nil {
		all = make(map[string]Store)
	}
	all[scheme] = s
	registered.Stores = Stores{ctx, p, all}
}

// Registered returns the stores registered so far.
func Registered() *Stores {
	registered.RLock()
	defer registered.RUnlock()
	s := registered.Stores
	return &s
}

// Scheme returns the scheme of a URL, or "" for the path of a file.
func Scheme(path string) string {
	scheme, _, found := strings.Cut(path, "://")
	isWord := !strings.ContainsFunc(scheme, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if !found || len(scheme) < 2 || !isWord {
		return ""
	}
	return scheme
}

// schemeRemedies holds remedies for schemes without a store.
var schemeRemedies = map[string]string{
	"gs":    "set AWS_ENDPOINT_URL_S3=https://storage.googleapis.com with an HMAC key, for its S3 interface, and name s3://BUCKET/OBJECT",
	"az":    "name the blob by its https:// address with a SAS token, https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB?TOKEN, or mount the container with blobfuse2 and name files there",
	"abfs":  "name the blob by its https:// address with a SAS token, https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB?TOKEN, or mount the container with blobfuse2 and name files there",
	"abfss": "name the blob by its https:// address with a SAS token, https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB?TOKEN, or mount the container with blobfuse2 and name files there",
	"s3a":   "write s3:// instead of s3a://",
	"s3n":   "write s3:// instead of s3n://",
	"hdfs":  "mount the file system, or copy the file",
}

// Of returns the store for a URL.
func (s *Stores) Of(url string) (Store, error) {
	scheme := Scheme(url)
	if store := s.ByScheme[scheme]; store != nil {
		return store, nil
	}
	if remedy := schemeRemedies[scheme]; remedy != "" {
		return nil, stream.NewDataError(url, "objects of %s:// are not reached", scheme).WithRemedy("%s", remedy)
	}
	known := []string{"file://"}
	for _, s := range slices.Sorted(maps.Keys(s.ByScheme)) {
		known = append(known, s+"://")
	}
	return nil, stream.NewDataError(url, "objects of %s:// are not reached", scheme).WithRemedy("use one of %s", strings.Join(known, ", "))
}

// Body wraps the content of an object so that its errors pass through [NetworkError]. It is for
// implementations of Store.
func Body(in io.ReadCloser) io.ReadCloser { return body{in} }

type body struct{ io.ReadCloser }

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = NetworkError(err)
	}
	return n, err
}
