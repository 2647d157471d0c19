package file

import (
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

// Seen holds the first stamp of each file, and the first listing of each glob and folder. The zero
// value is empty.
type Seen struct {
	mu     sync.Mutex
	stamps map[string]Stamp
	lists  map[string][]string
}

// absolute returns the absolute path, or path itself if that fails.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// check stores the stamp of an open file, or compares it with the stored one. It stamps a file that
// was just written some milliseconds later, so that further writes get another time. A nil Seen
// does nothing.
func (s *Seen) check(f *os.File, now Stamp) (Stamp, error) {
	if s == nil {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	name := absolute(now.path)
	then, ok := s.stamps[name]
	if !ok {
		if s.stamps == nil {
			s.stamps = make(map[string]Stamp)
		}
		s.stamps[name] = now
		return now, nil
	}
	if what := then.difference(now.info); what != "" {
		return now, then.changed("%s", what)
	}
	return now, nil
}

// fresh is the age of a file at which a further change certainly gets another time: clocks of file
// systems tick every 1 to 10 ms.
const fresh = 12 * time.Millisecond

// isFresh reports whether a file was written so recently that another write might get the same
// time.
func isFresh(info fs.FileInfo) bool {
	age := time.Since(info.ModTime())
	return age >= 0 && age < fresh
}

// checkList stores the files of a glob or a folder, or compares them with the stored ones.
func (s *Seen) checkList(path string, files []string) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	then, ok := s.lists[path]
	if !ok {
		if s.lists == nil {
			s.lists = make(map[string][]string)
		}
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
		WithKind(stream.Changed).WithRemedy("start again")
}

// listDifference describes a file that is in only one of two lists.
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
