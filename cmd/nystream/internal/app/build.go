package app

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Build tells builds of this program from one another: two that are told the same make
// the same bytes on one kind of machine. Of a release it is the version and what the
// compiler was told, and so the same on machines that have built it on their own; of any
// other state of the sources it is the build ID of the executable.
var Build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if ok && strings.HasPrefix(info.Main.Version, "v") && !strings.HasSuffix(info.Main.Version, "+dirty") {
		return releaseOf(info)
	}
	for range 2 { // a failure that passes, as of too many open files, makes no other build
		path, err := os.Executable()
		if err != nil {
			continue
		}
		if id, err := buildID(path); err == nil {
			return id
		}
	}
	return "of unknown sources" // an executable that has been removed, or cannot be read
})

// releaseOf returns the version of a program and all else that its instructions come from.
func releaseOf(info *debug.BuildInfo) string {
	words := []string{info.Main.Version, info.GoVersion}
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "-tags", "-gcflags"}, s.Key) {
			words = append(words, s.Key+"="+s.Value)
		}
	}
	return strings.Join(words, " ")
}

// goBuildID is what the linker writes near the beginning of an executable: a digest of all
// that it was made of, and others.
var goBuildID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w-]{20})(/[\w-]{20}){3}`)
})

// buildID returns the first digest of the build ID of an executable, or, where that was
// left out (-ldflags=-buildid=), a digest of the file.
func buildID(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if found := goBuildID().FindSubmatch(head[:n]); found != nil {
		return string(found[1]), nil
	}
	sum := sha256.New()
	sum.Write(head[:n])
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:15]), nil
}

// Version is what nystream --version prints.
const Version = "0.1.0"
