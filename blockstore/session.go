package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/object"
)

// Session is the shared state of the readers and writers of one run. Two sessions share only quotas
// and stores that are given to both. The functions of this package with the names of its methods
// serve a single call: they use registered stores, the system's folder for temporary files and no
// quota, and compare nothing with earlier calls.
//
// A session remembers what it opens:
//
//   - A file that has changed since the session first opened it is a [DataError]. So is a glob
//     or a folder whose listing has changed.
//   - An object is looked up once. All readers share its chunks: the session holds as much as
//     open readers may hold (Info().ReaderBytes of their sources), and up to 16 MiB without a
//     reader.
//
// The zero value is ready for use. Fields are set before the first call and not changed afterwards.
// Methods are then safe for concurrent use, and so are the sources and writers of one session.
//
// The creator of a session closes it, after the last reader of its sources. Writers are committed
// or aborted separately.
type Session struct {
	// Stores gives access to objects such as s3://bucket/key; nil means those of object.Register.
	Stores *object.Stores
	// SpoolDir is the folder of temporary files: copies of inputs that cannot be read in place
	// (pipes, compressed text, text in other encodings, compressed arrays), and contents of objects
	// before upload. "" means the system default. A full disk is reported as a SpoolError.
	SpoolDir string
	// Quota bounds the bytes of these files; nil means no limit. Exceeding it is a SpoolError that
	// wraps an *OverQuotaError.
	Quota *Quota

	seen    file.Seen
	objects file.Objects
	copies  file.Copies
}

// Internal returns the session for packages graph, archive and modelfile.
func (s *Session) Internal() *file.Session {
	return &file.Session{Stores: s.Stores, SpoolDir: s.SpoolDir, Quota: s.Quota, Seen: &s.seen, Objects: &s.objects, Copies: &s.copies}
}

// singleCall returns the session of a call outside a Session.
func singleCall() *file.Session { return &file.Session{Objects: new(file.Objects)} }

// Close removes the copies made by the session, and releases their bytes from the quota. Sources
// that read copies then fail. Without Close the copies are removed when the process ends.
func (s *Session) Close() error { return s.copies.Discard() }
