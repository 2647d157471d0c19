package blockstore

import (
	"context"
	"os"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/store"
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

// Open is [Open] within the session.
func (s *Session) Open(ctx context.Context, paths []string, o Options) (*Source, error) {
	return openSource(ctx, s.Internal(), paths, o)
}

// OpenFiles is [OpenFiles] within the session.
func (s *Session) OpenFiles(ctx context.Context, paths []string, o Options) (*Files, error) {
	return openFiles(ctx, s.Internal(), paths, o)
}

// Columns is [Columns] within the session.
func (s *Session) Columns(ctx context.Context, paths []string, o Options) (columns []ColumnInfo, rows int64, err error) {
	return columnsOf(ctx, s.Internal(), paths, o)
}

// FileSize returns the size of a file or an object in bytes. It is false for folders, globs and
// pipes, and for what is not there.
func (s *Session) FileSize(ctx context.Context, path string) (bytes int64, ok bool) {
	if IsRemote(path) {
		o, err := s.Internal().OpenObject(ctx, path)
		if err != nil {
			return 0, false
		}
		return o.Size, true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// DigestOf returns the digest of the regular file at path, or of the object. Cost: all of it is read.
func (s *Session) DigestOf(ctx context.Context, path string) (Digest, error) {
	return s.Internal().DigestOf(ctx, path)
}

// VerifyStore is [VerifyStore] within the session.
func (s *Session) VerifyStore(ctx context.Context, path string) error {
	return verifyStore(ctx, s.Internal(), path)
}

// Create is [Create] within the session.
func (s *Session) Create(path string, schema Schema) (Writer, error) {
	return create(s.Internal(), path, schema)
}

// PrepareFile returns a file or an object of any content that is complete but for its name.
func (s *Session) PrepareFile(path string, data []byte) (Output, error) {
	return prepareFile(s.Internal(), path, data)
}

// CanWrite returns why an object cannot be written, as far as its store knows before. It ends with
// the context of the stores.
func (s *Session) CanWrite(url string) error {
	files := s.Internal()
	return files.CanPut(files.Context(), url)
}

// verifyStore verifies the store at path.
func verifyStore(ctx context.Context, files *file.Session, path string) error {
	path, err := file.Plain(path)
	if err != nil {
		return err
	}
	return store.Verify(ctx, files, path)
}
