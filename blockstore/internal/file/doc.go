// Package file opens and writes files and objects of any content. Everything is opened and created
// in a [Session], which holds the shared state. [Session.Expand] turns arguments into paths. A
// [Stamp] recognises a file that is opened a second time. Readers end with their context. A [Temp]
// becomes a file or an object, atomically, or is a copy of an input; it may count against a
// [Quota].
//
// # Ownership
//
// Whoever opens a [File] closes it; readers of a copy leave the copy open. A copy belongs to the
// [Copies] of its session, whose owner discards them after the last reader. A Temp of
// [Session.Create] belongs to its writer, who calls Commit or Abort. Sessions, quotas, stamps and
// files are safe for concurrent use; a Temp is used by one goroutine at a time.
//
// # Caching
//
// A nil field of a session is replaced by a new one in each call, so nothing is shared. [Seen]
// holds the first stamp of each file and the first listing of each folder; later openings must
// match. [Objects] holds each object found, its version, and chunks of it, for all readers of the
// session. Contents of local files are not cached, since the operating system does that. Only
// chunks are ever evicted; everything else lives as long as the session.
//
// # Objects
//
// An [Object] is one version of the object named by a URL such as s3://bucket/key. All requests are
// for that version. A request costs tens of milliseconds whatever its size, so requests are few and
// large: objects are fetched in chunks, which all readers of a session share. A reader announces
// the number of places that it reads at the same time, for example the columns of a Parquet file.
// It holds one chunk per place and a few that are read ahead. Chunks are small enough for all of
// them to fit in a fixed number of bytes, known in advance ([Object.ReaderBytes]). The least
// recently used chunks are evicted first.
//
// A request that fails, breaks off or stalls is resumed after growing pauses. The first and last
// bytes of an object are fetched in small ranges ([Object.Edges]), which larger chunks omit.
package file
