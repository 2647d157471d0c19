package file

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// A temporary file is called .NAME.nystream-HOST-RANDOM.tmp, and its process keeps it locked while
// in use. So a later run on the same machine can tell files that killed runs have left behind from
// files in use: it can lock only the former. Without lock support nothing is removed, and files of
// other machines are never touched.
const tempEnd = ".tmp"

// tempMark is the part between the name and the random part.
var tempMark = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	host = strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, host)
	return ".nystream-_" + host[:min(len(host), 32)] + "-"
})

// maxBase bounds the part of the base name in the name of a temporary file, in bytes.
const maxBase = 100

// freeName calls take with unused temporary names in the directory of target until it succeeds, and
// returns the name.
func freeName(target string, take func(temp string) error) (string, error) {
	dir, base := filepath.Split(target)
	if len(base) > maxBase {
		base = strings.ToValidUTF8(base[:maxBase], "")
	}
	for range 1000 {
		temp := filepath.Join(dir, "."+base+tempMark()+strconv.FormatUint(rand.Uint64(), 36)+tempEnd)
		if err := take(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", errors.New("no free name for a temporary file")
}

// createLocked creates a file in a directory, "" for the current one, with a name that begins with
// a dot and base. It is locked until closed. The first call for a directory in a process removes
// files that killed runs have left there.
func createLocked(dir, base string, mode fs.FileMode) (file *os.File, err error) {
	if _, done := searchedDirs.LoadOrStore(dir, true); !done {
		removeAbandoned(dir)
	}
	_, err = freeName(filepath.Join(dir, base), func(temp string) error {
		if file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err != nil {
			return err
		}
		if lock(file) == lockHeld || !stillNamed(file) {
			file.Close() // another run removed it before it was locked
			return fs.ErrExist
		}
		return nil
	})
	return file, err
}

// TryFolder returns a system error if no file can be created in a directory.
func TryFolder(dir string) error {
	f, err := createLocked(dir, "try", 0o600)
	if err != nil {
		return WithoutPath(err)
	}
	f.Close()
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) { // another run may remove it once it is closed
		return WithoutPath(err)
	}
	return nil
}

// searchedDirs is the set of directories already searched for abandoned files.
var searchedDirs sync.Map

// lockResult is the result of an attempt to lock a file.
type lockResult int

const (
	lockTaken lockResult = iota
	lockHeld             // by another process
	noLocks              // unsupported on this system
)

// stillNamed reports whether the name of an open file still refers to it.
func stillNamed(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// removeAbandoned removes the temporary files in a directory that no process has locked. Files that
// cannot be inspected or removed remain.
func removeAbandoned(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1000)
		for _, name := range names {
			if strings.HasPrefix(name, ".") && strings.Contains(name, tempMark()) && strings.HasSuffix(name, tempEnd) {
				removeIfAbandoned(filepath.Join(dir, name))
			}
		}
		if err != nil { // or the end of the directory
			return
		}
	}
}

// removeIfAbandoned removes a temporary file unless a process has locked it.
func removeIfAbandoned(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := openTemp(path)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == lockTaken {
		os.Remove(path)
	}
}

// openTemp opens a temporary file, but not a symbolic link if the system can refuse it.
func openTemp(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|noFollow, 0) }
