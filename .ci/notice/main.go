// Command notice prints what the release of nystream must say of others' work: a table of
// the modules that are linked into the command on any system it is released for, with the
// licence of each, and what we choose where there is a choice. With -texts it copies the
// licences themselves into a folder, as a release carries them.
//
//	go run -C .ci/notice . >NOTICE
//	go run -C .ci/notice . -texts /tmp/licences >/dev/null
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

const command = "github.com/nystream/nystream/cmd/nystream"

// top is the repository, seen from this folder.
const top = "../.."

// systems are those of .ci/release.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// chosen says what cannot be read from one licence file.
var chosen = map[string]string{
	"github.com/golang/freetype": "FTL (chosen; the other choice is GPL-2.0-or-later). Portions of this software are copyright the FreeType Project (www.freetype.org). All rights reserved",
}

// isLicence tells licences and notices among the files of a module.
var isLicence = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^notice|^patents|^copying|^third_party_licen`)

// module is a module of the build, as go list prints it.
type module struct {
	Path, Version, Dir string
	Main               bool
}

func main() {
	texts := flag.String("texts", "", "copy the licences into this `folder`")
	flag.Parse()
	if err := run(os.Stdout, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, texts string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output() // a trimmed binary does not know
	if err != nil {
		return err
	}
	modules = append(modules, module{Path: "Go standard library", Dir: strings.TrimSpace(string(root))})
	fmt.Fprint(w, "Nystream\nCopyright the authors of Nystream\n\n",
		"The command contains the work of others, in the modules and under the licences below.\n",
		"A release carries the licences themselves in the folder licences.\n\n",
		"| module | version | licence |\n|---|---|---|\n")
	for _, m := range modules {
		files, err := licences(m)
		if err != nil {
			return err
		}
		name, err := terms(m, files)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", m.Path, m.Version, name)
		if texts != "" {
			if err := copyTexts(texts, m, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// linked returns the modules that the command contains on any of the systems.
func linked() ([]module, error) {
	found := map[string]module{}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.Command("go", "list", "-deps", "-json=Module", command)
		list.Dir, list.Stderr = top, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return strings.Compare(a.Path, b.Path) }), nil
}

// licences returns the files of a module that say its terms, in folders named licenses too.
func licences(m module) ([]string, error) {
	var files []string
	for _, dir := range []string{m.Dir, filepath.Join(m.Dir, "licenses")} {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, os.ErrNotExist) && dir != m.Dir {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		for _, e := range entries {
			if !e.IsDir() && (dir != m.Dir || isLicence.MatchString(e.Name())) {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s %s has no licence file in %s", m.Path, m.Version, m.Dir)
	}
	return files, nil
}

// terms names the licences of a module, and fails for one that nothing recognises: then
// somebody must read it.
func terms(m module, files []string) (string, error) {
	if name, ok := chosen[m.Path]; ok {
		return name, nil
	}
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		for _, match := range licensecheck.Scan(text).Match {
			if !match.IsURL {
				found[match.ID] = true
			}
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s %s: no licence recognised in %s", m.Path, m.Version, strings.Join(files, ", "))
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), ", "), nil
}

// copyTexts puts the files of a module into a folder of its own under dir.
func copyTexts(dir string, m module, files []string) error {
	to := filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(m.Path, " ", "-")))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
