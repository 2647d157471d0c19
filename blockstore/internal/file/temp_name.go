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

// A temporary file is called .NAME.nystream-HOST-RANDOM.tmp, and locked by the process that made
// it for as long as that uses it. So a later run on the same machine knows what a run that was
// killed has left, and leaves files of live ones alone: a lock that can be had belongs to nobody.
// Where there are no locks nothing is removed, and files of other machines are not touched.
const tempEnd = ".tmp"

// tempMark is what stands between the name and the random part.
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

// longestBase is how much of a name stands in that of a temporary file, in bytes.
const longestBase = 100

// freeName makes something, which take does, under a temporary name in the directory of
// target that nothing has, and returns the name.
func freeName(target string, take func(temp string) error) (string, error) {
	dir, base := filepath.Split(target)
	if len(base) > longestBase {
		base = strings.ToValidUTF8(base[:longestBase], "")
	}
	for range 1000 {
		temp := filepath.Join(dir, "."+base+tempMark()+strconv.FormatUint(rand.Uint64(), 36)+tempEnd)
		if err := take(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", errors.New("no free name for a temporary file")
}

// createLocked creates a new file in a directory, "" being the current one, whose name begins with base,
// after a dot. It is locked until it is closed. What runs that
// were killed have left in the directory is removed, once in a process.
func createLocked(dir, base string, mode fs.FileMode) (file *os.File, err error) {
	if _, done := cleaned.LoadOrStore(dir, true); !done {
		removeAbandoned(dir)
	}
	_, err = freeName(filepath.Join(dir, base), func(temp string) error {
		if file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err != nil {
			return err
		}
		if lock(file) == lockHeld || !stillNamed(file) {
			file.Close() // another run took it for abandoned before it was locked
			return fs.ErrExist
		}
		return nil
	})
	return file, err
}

// TryFolder returns an error of the system if no file can be made in a directory.
func TryFolder(dir string) error {
	f, err := createLocked(dir, "try", 0o600)
	if err != nil {
		return WithoutPath(err)
	}
	f.Close()
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) { // another run may take it for abandoned once it is closed
		return WithoutPath(err)
	}
	return nil
}

// cleaned has the directories that were looked through for what killed runs have left.
var cleaned sync.Map

// locked is what came of trying to lock a file.
type locked int

const (
	lockTaken locked = iota
	lockHeld         // by somebody else
	noLocks          // here
)

// stillNamed reports whether an open file has the name that it was opened by.
func stillNamed(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// removeAbandoned removes the temporary files in a directory that no process has locked. What
// cannot be looked at or removed stays.
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
		if err != nil { // or the end
			return
		}
	}
}

// removeIfAbandoned removes a temporary file unless its process uses it.
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

// openTemp opens a temporary file, and no link in its place where the system can tell.
func openTemp(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|noFollow, 0) }
