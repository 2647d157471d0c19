// Package object is how blockstore reaches what is not a file: objects in S3, what a web
// server gives. A [Store] serves the URLs of a scheme once it is registered:
//
//	object.Register(ctx, "s3", s3.New(), object.Patience{})
//
// From then on [github.com/nystream/nystream/blockstore.Open] and all that reads or writes
// files takes such URLs. A [github.com/nystream/nystream/blockstore.Session] may have
// [Stores] of its own instead. A program that names no store links none. Packages s3 and web
// below this one are stores.
//
// What all objects share is not the affair of a store: ranges are read ahead and kept,
// requests are repeated, globs are expanded, what is written is collected first.
//
// A store caches no content. Chunks of objects are cached by a session of blockstore, for all its
// readers, and so are versions: an object is asked for once and then read in that version. A store
// belongs to whoever made it. It may serve several [Stores] and sessions at the same time.
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

// Store has the objects of a scheme. It is used by several goroutines at a time, and is
// never closed. Its errors say what is wrong and what to do; they need not name the object,
// and never hold credentials. An error after which the same may succeed is marked by
// [Temporary]: Open, List and Get are repeated then. A missing object is an fs.ErrNotExist.
type Store interface {
	// Open describes the current version of an object. It also returns its first bytes, at
	// most head, which save a request; a store may return none. The caller owns them. The
	// object holds nothing that has to be closed, and outlives ctx.
	Open(ctx context.Context, url string, head int64) (o Object, first []byte, err error)
	// List calls each for every object whose URL begins with prefix, in ascending order, on
	// the goroutine of the caller. An error of each ends it and is returned.
	List(ctx context.Context, prefix string, each func(url string, o Object) error) error
	// Put writes an object of that content, whole or not at all. It repeats its requests
	// by p.Retry. It may read content at several places at the same time, but not after it
	// has returned.
	Put(ctx context.Context, url string, content io.ReaderAt, size int64, p Patience) error
	// CanPut returns why Put will fail, as far as that is known beforehand.
	CanPut(ctx context.Context, url string) error
}

// Object is one version of an object. It is used by several goroutines at a time.
type Object interface {
	// Size is its length in bytes.
	Size() int64
	// Get begins to read a range, which is not empty and lies within the object. It may
	// give fewer bytes. It returns ErrChanged if there is another version now. The caller
	// closes the reader, and reads it on one goroutine. Bytes that came before an error are
	// those of the object: the rest is asked for again. Reading ends with ctx.
	Get(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// ErrChanged reports that there is another version of an object.
var ErrChanged error = stream.NewDataError("", "the object was changed after it was opened").Of(stream.Changed).Do("start again")

// temporary marks an error.
type temporary struct{ error }

func (e temporary) Unwrap() error { return e.error }

// Temporary marks an error after which the same may succeed. It is one of those that [Failure] marks.
func Temporary(err error) error {
	e := stream.AsDataError(err).Of(stream.Unreachable)
	e.Err = temporary{err}
	return e
}

// IsTemporary reports whether an error is marked so.
func IsTemporary(err error) bool { return errors.As(err, new(temporary)) }

// Failure marks an error of the server or of the way to it, which says nothing of the data: its kind is
// [stream.Unreachable].
func Failure(err error) error { return stream.AsDataError(err).Of(stream.Unreachable) }

// Stores are the stores that URLs name by their schemes. They are not changed while they are in
// use, and may be used from several goroutines.
type Stores struct {
	// Context ends the requests of functions that have no context of their own, such as those
	// that write files. If it is nil nothing ends them.
	Context context.Context
	// Patience limits the time of requests.
	Patience Patience
	// ByScheme are the stores by scheme, such as s3.
	ByScheme map[string]Store
}

// Base returns Context, or a context that does not end.
func (s *Stores) Base() context.Context {
	if s.Context == nil {
		return context.Background()
	}
	return s.Context
}

// registered are the stores of this process.
var registered struct {
	sync.RWMutex
	Stores
}

// Register makes a store serve the URLs of a scheme, such as s3, for all that names no
// [Stores] of its own. The last ctx and patience count.
func Register(ctx context.Context, scheme string, s Store, p Patience) {
	registered.Lock()
	defer registered.Unlock()
	all := maps.Clone(registered.ByScheme) // others may have the map
	if all == nil {
		all = make(map[string]Store)
	}
	all[scheme] = s
	registered.Stores = Stores{ctx, p, all}
}

// Registered returns the stores that [Register] has registered so far.
func Registered() *Stores {
	registered.RLock()
	defer registered.RUnlock()
	s := registered.Stores
	return &s
}

// Scheme returns the scheme of a URL, and "" for the path of a file.
func Scheme(path string) string {
	scheme, _, found := strings.Cut(path, "://")
	isWord := !strings.ContainsFunc(scheme, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if !found || len(scheme) < 2 || !isWord {
		return ""
	}
	return scheme
}

// elsewhere says what to do about stores that there is no package for.
var elsewhere = map[string]string{
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
	if remedy := elsewhere[scheme]; remedy != "" {
		return nil, stream.NewDataError(url, "objects of %s:// are not reached", scheme).Do("%s", remedy)
	}
	known := []string{"file://"}
	for _, s := range slices.Sorted(maps.Keys(s.ByScheme)) {
		known = append(known, s+"://")
	}
	return nil, stream.NewDataError(url, "objects of %s:// are not reached", scheme).Do("use one of %s", strings.Join(known, ", "))
}

// Body returns what is read of an object, with the errors of the network by [NetworkError].
// It is for stores.
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
