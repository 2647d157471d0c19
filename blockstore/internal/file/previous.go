package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nystream/nystream/blockstore/internal/remote"
	"github.com/nystream/nystream/blockstore/object"
)

// Previous is what a path named before it was written to. It is kept under a second,
// temporary name, so that several files can be replaced together: when one of them
// fails, Restore undoes the others.
type Previous struct {
	target string
	kept   string // the second name; "" if there is none
	none   bool   // there was no file
	remote bool   // it is an object, of which nothing is kept
	lock   *os.File
}

// lockWait is how long a commit waits for another one in the same folder.
const lockWait = time.Minute

// LockFolders locks the folders of files until unlock is called, so that two processes that
// replace the same files do so one after the other. It is a no-op for objects, and where there
// are no locks.
func LockFolders(paths []string) (unlock func(), err error) {
	var open []*os.File
	unlock = func() {
		for _, f := range open {
			f.Close()
		}
	}
	var folders []string
	for _, path := range paths {
		if !IsRemote(path) {
			folders = append(folders, absolute(followed(filepath.Dir(followed(path)))))
		}
	}
	slices.Sort(folders) // in one order, so that no two processes wait for each other
	for _, folder := range slices.Compact(folders) {
		f, err := os.Open(folder)
		if err != nil {
			continue // it may be written to and not read: such a folder has no lock
		}
		open = append(open, f)
		for began := time.Now(); lock(f) == lockHeld; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > lockWait {
				return unlock, fmt.Errorf("cannot write in %s: another process has been writing there for %v; try again, or name another folder", folder, lockWait)
			}
		}
	}
	return unlock, nil
}

// KeepPrevious gives the file at path a second name, or where the file system has no hard
// links, or forbids one, copies it. Of objects nothing is kept.
func KeepPrevious(path string) (*Previous, error) {
	path, err := Plain(path)
	if err != nil {
		return nil, err
	}
	if IsRemote(path) {
		return &Previous{target: path, remote: true, none: !remote.Exists(object.Context(), path)}, nil
	}
	p := &Previous{target: followed(path)}
	if _, err := os.Lstat(p.target); errors.Is(err, fs.ErrNotExist) {
		p.none = true
		return p, nil
	}
	if p.lock, err = os.Open(p.target); err == nil {
		lock(p.lock) // so that no other run takes the second name for abandoned
	}
	if p.kept, err = freeName(p.target, func(temp string) error { return os.Link(p.target, temp) }); err == nil {
		return p, nil
	}
	p.kept = ""
	if err := p.copy(); err != nil {
		p.Forget()
		return nil, fmt.Errorf("cannot write %s: the old file cannot be kept until all are written: %w", p.target, withoutPath(err))
	}
	return p, nil
}

// copy copies the file.
func (p *Previous) copy() error {
	if p.lock == nil {
		return errors.New("it can neither be linked nor read")
	}
	info, err := p.lock.Stat()
	if err != nil {
		return err
	}
	to, err := CreateTemp(filepath.Dir(p.target), filepath.Base(p.target), 0o600)
	if err != nil {
		return err
	}
	p.lock.Close()
	from, err := os.Open(p.target)
	if err != nil {
		to.Close()
		return errors.Join(err, os.Remove(to.Name()))
	}
	defer from.Close()
	p.lock, p.kept = to, to.Name()
	keepOwner(to, info)
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), os.Chtimes(p.kept, time.Time{}, info.ModTime()))
}

// Restore makes the path name what it named before, or nothing if it named nothing.
func (p *Previous) Restore() error {
	switch {
	case p.none && p.remote:
		return remote.Remove(object.Context(), p.target)
	case p.none:
		if err := os.Remove(p.target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	case p.kept != "":
		if closeFirst {
			p.unlock()
		}
		err := os.Rename(p.kept, p.target)
		p.Forget() // of a file that was not replaced the second name is left
		return err
	}
	return nil
}

// Forget takes the second name away.
func (p *Previous) Forget() {
	if closeFirst {
		p.unlock()
	}
	if p.kept != "" {
		os.Remove(p.kept)
		p.kept = ""
	}
	p.unlock()
}

func (p *Previous) unlock() {
	if p.lock != nil {
		p.lock.Close()
		p.lock = nil
	}
}

// followed returns the file that a path names, through symbolic links if there are any.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
