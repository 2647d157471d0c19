package file

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// seen is the files that were opened with a context, as they were then, and what globs and
// folders held.
type seen struct {
	sync.Mutex
	stamps map[string]Stamp
	lists  map[string][]string
}

type seenKey struct{}

// Remember returns a context with which a file has to be the same whenever it is opened,
// and a glob or a folder to hold the same files: those of the first time.
func Remember(ctx context.Context) context.Context {
	return context.WithValue(ctx, seenKey{}, &seen{stamps: make(map[string]Stamp), lists: make(map[string][]string)})
}

// absolute returns the one name of a path, as far as the system tells.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// remember keeps the stamp of an open file, or compares it with the first one. A file that
// was written just now is stamped some milliseconds later, so that what is written to it from
// then on gets another time.
func remember(ctx context.Context, f *os.File, now Stamp) (Stamp, error) {
	s, ok := ctx.Value(seenKey{}).(*seen)
	if !ok {
		return now, nil
	}
	for tries := 0; tries < 10 && isFresh(now.info); tries++ {
		time.Sleep(fresh)
		info, err := f.Stat()
		if err != nil {
			return now, err
		}
		now.info, now.Size = info, info.Size()
	}
	s.Lock()
	defer s.Unlock()
	name := absolute(now.path)
	then, ok := s.stamps[name]
	if !ok {
		s.stamps[name] = now
		return now, nil
	}
	if what := then.difference(now.info); what != "" {
		return now, then.changed("%s", what)
	}
	return now, nil
}

// fresh is the age of a file, by the system's clock, at which one more change gets another
// time: the clocks of file systems tick every 1 to 10 ms.
const fresh = 12 * time.Millisecond

// isFresh reports whether a file was written just now, so that what is written to it at the
// same moment would not be seen by its time.
func isFresh(info fs.FileInfo) bool {
	age := time.Since(info.ModTime())
	return age >= 0 && age < fresh
}

// rememberList keeps what a glob or a folder holds, or compares it with what it held first.
func rememberList(ctx context.Context, path string, files []string) error {
	s, ok := ctx.Value(seenKey{}).(*seen)
	if !ok {
		return nil
	}
	s.Lock()
	defer s.Unlock()
	then, ok := s.lists[path]
	if !ok {
		s.lists[path] = files
		return nil
	}
	if slices.Equal(then, files) {
		return nil
	}
	if IsRemote(path) {
		path = object.Hide(path)
	}
	return fault.File(path, "its files are others than when it was first looked at: %s", listDifference(then, files)).
		Of(stream.Changed).Do("start again")
}

// listDifference names a file that is in one of two lists alone.
func listDifference(then, now []string) string {
	for _, f := range now {
		if !slices.Contains(then, f) {
			return fmt.Sprintf("%s has come", f)
		}
	}
	for _, f := range then {
		if !slices.Contains(now, f) {
			return fmt.Sprintf("%s has gone", f)
		}
	}
	return "their order"
}
