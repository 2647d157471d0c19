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

// Build identifies the build of this program. Programs with equal builds write the same bytes on one kind of machine.
// For a release it is the version and the compiler settings, so independent builds of a release are equal. For any
// other state of the sources it is the build ID of the executable.
var Build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if ok && strings.HasPrefix(info.Main.Version, "v") && !strings.HasSuffix(info.Main.Version, "+dirty") {
		return releaseID(info)
	}
	for range 2 { // a transient failure, such as too many open files, must not look like another build
		path, err := os.Executable()
		if err != nil {
			continue
		}
		if id, err := buildID(path); err == nil {
			return id
		}
	}
	return "of unknown sources" // the executable was removed or cannot be read
})

// releaseID returns the version of a program and all compiler settings that affect its instructions.
func releaseID(info *debug.BuildInfo) string {
	words := []string{info.Main.Version, info.GoVersion}
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "-tags", "-gcflags"}, s.Key) {
			words = append(words, s.Key+"="+s.Value)
		}
	}
	return strings.Join(words, " ")
}

// goBuildID matches the build ID near the beginning of an executable: digests of the compiler's inputs and outputs.
var goBuildID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w-]{20})(/[\w-]{20}){3}`)
})

// buildID returns the first digest of the build ID of an executable. If it has none (-ldflags=-buildid=), buildID
// returns a digest of the file.
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
