package blockstore

import (
	"context"
	"errors"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/stream"
)

// Spool copies the rows of src, which may be readable only once, into a
// temporary store in dir ("" means the system's temporary folder) and returns
// a source that reads them from there as often as needed. The copy takes 8
// bytes a number on disk. It has no name where the system allows that, so it
// goes when the process ends; cleanup removes it earlier, after which the
// source cannot be read. room is what it may take of the disk with all others that
// share it; nil is any room.
func Spool(ctx context.Context, src stream.Source, dir string, room *SpoolRoom) (spooled stream.Source, cleanup func() error, err error) {
	info := src.Info()
	t, err := store.Copy(ctx, src, file.Spools{Dir: dir, Room: room})
	if err != nil {
		return nil, nil, err
	}
	d := len(info.Columns)
	s, err := column.Choose(t, upTo(0, d), upTo(d, len(t.Columns)))
	if err != nil {
		return nil, nil, errors.Join(err, t.Discard())
	}
	copy(s.Info().Kept, info.Kept) // with its marks
	return s, t.Discard, nil
}

// SpoolRoom is the room on disk that copies may take in all, at one time: those of [Spool], of
// Options, and what a Schema collects. All that share one add up; nil is any room.
type SpoolRoom = file.Room

// NewSpoolRoom returns room for so many bytes, 0 for any: then it only counts.
func NewSpoolRoom(bytes int64) *SpoolRoom { return file.NewRoom(bytes) }

// HalfFree returns room for half of what is free now on the disk of a folder, "" being the
// system's for temporary files; any room where the system does not tell.
func HalfFree(dir string) *SpoolRoom { return file.HalfFree(dir) }
