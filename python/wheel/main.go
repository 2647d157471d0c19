// The program wheel makes a wheel of the Python package and of the command:
//
//	go run ./python/wheel                                                # for this machine, in dist
//	go run ./python/wheel -platform linux/arm64 -program nystream -o out # of a program that is built
//
// A wheel is a zip file, so that Python is not needed. The same input makes the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// tags are the platforms of wheels. The programs are static: any Linux runs them, and the oldest
// macOS that Go supports.
var tags = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// member is a file of a wheel.
type member struct {
	name    string
	content []byte
	mode    os.FileMode
}

func main() {
	version := flag.String("version", "", "`version` of the package; that in __init__.py if not given")
	platform := flag.String("platform", runtime.GOOS+"/"+runtime.GOARCH, "`system` of the program, such as linux/amd64")
	program := flag.String("program", "", "`file` of the program, which is built if not given")
	root := flag.String("root", ".", "`folder` of the repository")
	licences := flag.String("licences", "", "`folder` of the licences of what the program contains")
	out := flag.String("o", "dist", "`folder` of the wheel")
	flag.Parse()
	name, err := run(*root, *version, *platform, *program, *licences, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
	fmt.Println(name)
}

// run makes a wheel and returns its path. It finds the version and builds the program if they are not given.
func run(root, version, platform, program, licences, out string) (name string, err error) {
	if version == "" {
		if version, err = ownVersion(root); err != nil {
			return "", err
		}
	}
	if program == "" {
		stage, err := os.MkdirTemp("", "nystream-wheel-")
		if err != nil {
			return "", err
		}
		defer func() { _ = os.RemoveAll(stage) }()
		program = filepath.Join(stage, "nystream")
		if err := build(root, platform, program); err != nil {
			return "", err
		}
	}
	return write(root, version, platform, program, licences, out)
}

// ownVersion returns the version of the Python package.
func ownVersion(root string) (string, error) {
	file := filepath.Join(root, "python", "nystream", "__init__.py")
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`(?m)^__version__ = '(.+)'$`).FindSubmatch(source)
	if found == nil {
		return "", fmt.Errorf("%s has no __version__", file)
	}
	return string(found[1]), nil
}

// build builds the command, static and stripped.
func build(root, platform, program string) error {
	system, machine, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./cmd/nystream")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
	return cmd.Run()
}

// write makes a wheel and returns its path.
func write(root, version, platform, program, licences, out string) (string, error) {
	tag, known := tags[platform]
	if !known {
		return "", fmt.Errorf("there are no wheels for %q, but for %s", platform, strings.Join(slices.Sorted(maps.Keys(tags)), ", "))
	}
	members, err := contents(root, version, tag, program, licences)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := pack(&b, members); err != nil {
		return "", err
	}
	name := filepath.Join(out, fmt.Sprintf("nystream-%s-py3-none-%s.whl", version, tag))
	return name, errors.Join(os.MkdirAll(out, 0o777), os.WriteFile(name, b.Bytes(), 0o666))
}

// contents returns all members but the list of them.
func contents(root, version, tag, program, licences string) (members []member, err error) {
	add := func(name, file string, mode os.FileMode) {
		content, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		members = append(members, member{name, content, mode})
	}
	sources, err := filepath.Glob(filepath.Join(root, "python", "nystream", "*.py"))
	if err == nil && len(sources) == 0 {
		err = fmt.Errorf("%s has no python/nystream/*.py", root)
	}
	for _, file := range sources {
		add(path.Join("nystream", filepath.Base(file)), file, 0o644)
	}
	command := "nystream"
	if strings.HasPrefix(tag, "win") {
		command += ".exe"
	}
	add("nystream-"+version+".data/scripts/"+command, program, 0o755)
	info := "nystream-" + version + ".dist-info/"
	for _, name := range []string{"LICENSE", "NOTICE"} {
		add(info+"licenses/"+name, filepath.Join(root, name), 0o644)
	}
	if licences != "" {
		err = errors.Join(err, filepath.WalkDir(licences, func(file string, d fs.DirEntry, failed error) error {
			if failed == nil && !d.IsDir() {
				name, _ := filepath.Rel(licences, file)
				add(info+"licenses/"+filepath.ToSlash(name), file, 0o644)
			}
			return failed
		}))
	}
	readme, failed := os.ReadFile(filepath.Join(root, "python", "README.md"))
	metadata := fmt.Sprintf(metadataHead, version) + string(readme)
	wheel := "Wheel-Version: 1.0\nGenerator: nystream\nRoot-Is-Purelib: false\n"
	for one := range strings.SplitSeq(tag, ".") {
		wheel += "Tag: py3-none-" + one + "\n"
	}
	members = append(members, member{info + "METADATA", []byte(metadata), 0o644},
		member{info + "WHEEL", []byte(wheel), 0o644})
	return append(members, record(info+"RECORD", members)), errors.Join(err, failed)
}

const metadataHead = `Metadata-Version: 2.1
Name: nystream
Version: %s
Summary: Kernel methods on files that do not fit in memory, from one reading of the rows
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.8
Requires-Dist: numpy
Description-Content-Type: text/markdown

`

// record returns the list of members with their digests, itself without one.
func record(name string, members []member) member {
	lines := make([]string, 0, len(members)+1)
	for _, m := range members {
		sum := sha256.Sum256(m.content)
		digest := base64.RawURLEncoding.EncodeToString(sum[:])
		lines = append(lines, fmt.Sprintf("%s,sha256=%s,%d\n", m.name, digest, len(m.content)))
	}
	lines = append(lines, name+",,\n")
	slices.Sort(lines)
	return member{name, []byte(strings.Join(lines, "")), 0o644}
}

// pack writes members to a zip file, without times.
func pack(w io.Writer, members []member) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(m.content); err != nil {
			return err
		}
	}
	return z.Close()
}
