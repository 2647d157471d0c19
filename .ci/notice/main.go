// Command notice prints NOTICE: the modules that the command links on any released system,
// with the licence of each. With a folder it copies the licence files there too.
//
//	go run -C .ci/notice . >NOTICE
//	go run -C .ci/notice . /tmp/licences >/dev/null
package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

const head = `Nystream
Copyright the authors of Nystream

The command contains the work of others, in the modules and under the licences below.
A release carries the licences themselves in the folder licences.

| module | version | licence |
|---|---|---|
`

// chosen has the licence of modules that offer a choice.
var chosen = map[string]string{
	"github.com/golang/freetype": "FTL (chosen; the other choice is GPL-2.0-or-later). Portions of this software are copyright the FreeType Project (www.freetype.org). All rights reserved",
}

// licence matches the paths of files that state terms.
var licence = regexp.MustCompile(`(?i)[/\\]((un)?licen[cs]e|notice|patents|copying|third_party_licen)[^/\\]*$|[/\\]licenses[/\\]`)

func main() {
	if err := run(append(os.Args[1:], "")[0]); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	fmt.Print(head)
	for _, m := range append(modules, "Go standard library\t\t"+strings.TrimSpace(string(root))) {
		f := strings.Split(m, "\t")
		texts, names, err := terms(f[2])
		if c, ok := chosen[f[0]]; ok {
			names = c
		}
		if err != nil || names == "" {
			return fmt.Errorf("%s %s: no known licence in %s: read it, and add it to chosen (%v)", f[0], f[1], f[2], err)
		}
		fmt.Printf("| %s | %s | %s |\n", f[0], f[1], names)
		for name, text := range texts {
			to := filepath.Join(folder, strings.ReplaceAll(f[0], " ", "-"), name)
			if folder == "" {
				break
			} else if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			} else if err := os.WriteFile(to, text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// linked returns path, version and folder of all linked modules, with tabs between.
func linked() ([]string, error) {
	found := map[string]bool{}
	for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/nystream")
		list.Dir, list.Stderr = "../..", os.Stderr
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for m := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' }) {
			found[m] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// terms returns the licence files of a folder by name, and the licences found in them.
func terms(dir string) (texts map[string][]byte, names string, err error) {
	texts, found := map[string][]byte{}, map[string]bool{}
	for _, pattern := range []string{"*", "licenses/*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are valid
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil || info.IsDir() || !licence.MatchString(file) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, "", err
			}
			texts[filepath.Base(file)] = text
			for _, match := range licensecheck.Scan(text).Match {
				if !match.IsURL {
					found[match.ID] = true
				}
			}
		}
	}
	return texts, strings.Join(slices.Sorted(maps.Keys(found)), ", "), nil
}
