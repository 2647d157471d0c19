// Package file opens and writes files and objects, whatever they hold. Everything is opened and
// created in a [Session], which has what is shared. [Session.Expand] turns arguments into paths. A
// [Stamp] recognises a file when it is opened a second time. A reader ends with its context. A
// [Temp] becomes a file or an object, complete or not at all, or is a copy of what is read; it may
// count against a [Quota].
//
// # Who closes what
//
// Whoever opens a [File] closes it; readers of a copy leave the copy open. A copy belongs to the
// [Copies] of its session, whose owner discards them after the last reader. A Temp of
// [Session.Create] belongs to its writer, who calls Commit or Abort. Sessions, quotas, stamps and
// files may be used from several goroutines, a Temp by one at a time.
//
// # What is cached
//
// A nil field of a session is one of each call, and nothing is shared then. [Seen] has the stamp of
// each file and the list of each folder as they were first; a later opening has to match. [Objects]
// has each object that was found, its version, and chunks of it, for all readers of the session.
// Bytes of local files are not cached: that is the system's. Only chunks are ever dropped; all else
// lives as long as the session.
//
// # Objects
//
// An [Object] is one version of what a URL such as s3://bucket/key names. All requests are for
// that version. Each request costs some ten milliseconds whatever its size, so requests are few
// and large: objects are fetched in chunks, which all readers of a session share. A reader announces how many
// places it reads at the same time, for instance the columns of a Parquet file. It holds one chunk
// for each place and a few that are read ahead. Chunks are small enough for all of them to fit in
// a fixed number of bytes, which is known before the reader reads ([Object.ReaderBytes]). The least
// recently used chunks are dropped first.
//
// A request that fails, stops in the middle or stalls is repeated from where it stopped, after
// growing pauses. The first and last bytes of an object are fetched in small ranges
// ([Object.Edges]), which larger chunks leave out.
package file
