package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/object"
)

// Session is what the readings and writings of one run share. Nothing is shared between two
// sessions, but for quotas and stores that both are given. The functions of this package that have
// the names of its methods are for a single call: they use registered stores, the system's folder
// for temporary files and no quota, and compare nothing with earlier calls.
//
// A session remembers what it opens:
//
//   - A file that was changed since the session opened it first is a [DataError]. So is a glob or
//     a folder of other files than at first.
//   - An object is asked for once. All readers share what they fetch: the session holds as much as
//     open readers may hold (Info().ReaderBytes of their sources), and up to 16 MiB without a reader.
//
// The zero value is ready for use. Fields are set before the first call and not changed
// afterwards. Then methods may be called from several goroutines, and sources and writers of one
// session may be used side by side.
//
// Whoever makes a session closes it, after the last reader of its sources. Writers are committed or
// aborted on their own.
type Session struct {
	// Stores reach objects such as s3://bucket/key; if nil, those of object.Register do.
	Stores *object.Stores
	// SpoolDir is the folder of temporary files: copies of what cannot be read where it is (pipes,
	// compressed text, text in other encodings, compressed arrays), and content of objects before
	// it is uploaded. "" is the system's. A SpoolError says that the disk is full.
	SpoolDir string
	// Quota bounds the bytes of these files; nil is no limit. A SpoolError with an
	// *OverQuotaError says that it is too small.
	Quota *Quota

	seen    file.Seen
	objects file.Objects
	copies  file.Copies
}

// Internal returns the session in the form that packages graph, archive and modelfile take.
func (s *Session) Internal() *file.Session {
	return &file.Session{Stores: s.Stores, SpoolDir: s.SpoolDir, Quota: s.Quota, Seen: &s.seen, Objects: &s.objects, Copies: &s.copies}
}

// singleCall returns the files of a call outside a session.
func singleCall() *file.Session { return &file.Session{Objects: new(file.Objects)} }

// Close removes the copies that the session has made, and gives their bytes back to the quota.
// Sources that read copies fail from then on. The copies of a session that is not closed are
// removed at the end of the process.
func (s *Session) Close() error { return s.copies.Discard() }
