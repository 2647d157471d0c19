package file

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// A temporary file is called .NAME.nystream-HOST-KERNEL-PID-RANDOM.tmp, and locked by the
// process that made it for as long as that uses it. So a later run knows what a run that was
// killed has left, and leaves those of live ones alone: a lock that can be had belongs to
// nobody, whatever process has the number by now, also in another container. Where there
// are no locks the process must not exist any more. KERNEL tells one start of a machine from
// another, and is 0 where that is not known; files of other machines are not touched.
var tempPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\..*\.nystream-([0-9A-Za-z_]+)-([0-9a-f]+)-([0-9]+)-[0-9a-z]+\.tmp$`)
})

// owner is the part of a temporary name that says whose it is.
type owner struct {
	host, kernel string
	process      int
}

func (o owner) String() string { return o.host + "-" + o.kernel + "-" + strconv.Itoa(o.process) }

// self is this process.
var self = sync.OnceValue(func() owner {
	host, _ := os.Hostname()
	host = strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, host)
	o := owner{host: "_" + host[:min(len(host), 32)], kernel: "0", process: os.Getpid()}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil && len(id) > 8 {
		o.kernel = string(id[:8])
	}
	return o
})

// ownerOf returns whose temporary file a name is of; false if it is none.
func ownerOf(name string) (owner, bool) {
	m := tempPattern().FindStringSubmatch(name)
	if m == nil {
		return owner{}, false
	}
	process, err := strconv.Atoi(m[3])
	return owner{m[1], m[2], process}, err == nil && process > 0
}

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
		temp := filepath.Join(dir, "."+base+".nystream-"+self().String()+"-"+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		if err := take(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", errors.New("no free name for a temporary file")
}

// CreateTemp creates a new file in a directory, "" being the system's for temporary files,
// whose name begins with base, after a dot. It is locked until it is closed. What runs that
// were killed have left in the directory is removed, once in a process.
func CreateTemp(dir, base string, mode fs.FileMode) (file *os.File, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
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
	f, err := CreateTemp(dir, "try", 0o600)
	if err != nil {
		return withoutPath(err)
	}
	f.Close()
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) { // another run may take it for abandoned once it is closed
		return withoutPath(err)
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

// removeAbandoned removes the temporary files in a directory whose process is gone. What
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
			if o, ok := ownerOf(name); ok && o.near() {
				removeIfAbandoned(filepath.Join(dir, name), o)
			}
		}
		if err != nil { // or the end
			return
		}
	}
}

// near reports whether the process is, or was, on this machine.
func (o owner) near() bool {
	return o.host == self().host || o.kernel == self().kernel && o.kernel != "0"
}

// removeIfAbandoned removes a temporary file unless its process uses it.
func removeIfAbandoned(path string, o owner) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := openTemp(path)
	if err != nil {
		return
	}
	defer f.Close()
	switch lock(f) {
	case lockHeld:
		return
	case noLocks:
		if o.kernel == self().kernel && o.alive() {
			return
		}
		f.Close() // Windows removes no file that is open
	}
	os.Remove(path)
}

// openTemp opens a temporary file, and no link in its place where the system can tell.
func openTemp(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|noFollow, 0) }

// alive reports whether the process exists.
func (o owner) alive() bool {
	p, err := os.FindProcess(o.process)
	if err != nil {
		return false // Windows tells so here
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
