package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// checkOutput refuses, before any work, an output that could not be written: its
// extension is not one of those given, its folder is missing or read-only, or
// it is one of the inputs.
func checkOutput(a *app, flag, path string, extensions, inputs []string) error {
	if err := checkFormat(a, flag, path, extensions); err != nil {
		return err
	}
	if isPipe(path) {
		a.writesRowsTo(path)
		return nil
	}
	if blockstore.IsRemote(path) {
		return checkRemoteOutput(a, flag, path, inputs)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return flags.Usagef("%s %s: this is a folder; name a file in it", flag, path)
	case err == nil:
		for _, in := range inputs {
			if reads(in, path, info) {
				return flags.Usagef("%s %s: this file is also read, by %s; give the output another name", flag, path, in)
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return flags.Usagef("%s %s: %v", flag, path, err)
	}
	return checkFolder(flag, path)
}

// reads reports whether the input, a file, folder or glob, has the file at path.
func reads(input, path string, file fs.FileInfo) bool {
	info, err := os.Stat(input)
	switch {
	case err == nil && info.IsDir():
		within, err := filepath.Rel(realPath(input), realPath(path))
		return err == nil && filepath.IsLocal(within)
	case err == nil:
		return os.SameFile(info, file)
	}
	match, err := doublestar.PathMatch(filepath.Clean(input), filepath.Clean(path))
	return err == nil && match
}

// realPath returns the absolute path of a file, which need not exist, through symbolic links.
func realPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// checkFolder tries whether a file can be put at path.
func checkFolder(flag, path string) error {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return flags.Usagef("%s %s: there is no folder %s; make it first", flag, path, folder)
	}
	target, err := blockstore.Target(path)
	if err != nil {
		return flags.Usagef("%s %s: %v", flag, path, err)
	}
	folder = filepath.Dir(target) // through symbolic links
	if err := blockstore.TryFolder(folder); err != nil {
		return flags.Usagef("%s %s: nothing can be written in %s: %v", flag, path, folder, err)
	}
	return nil
}

// writerBudget adds what writing rows of that many numbers to path takes: for a
// short file no more than a few copies of it.
func writerBudget(a *app, b *stream.Budget, path string, rows int64, columns int) {
	holds := blockstore.WriterBytesWithin(int64(a.memory), formatOf(a, path), columns)
	if rows >= 0 {
		holds = min(holds, 3*8*rows*int64(columns))
	}
	if holds > 0 {
		b.Items = append(b.Items, stream.BudgetItem{What: "writer of " + path, Bytes: holds, Knob: "it by writing .npy"})
	}
}

// checkDistinct refuses two outputs that are one file.
func checkDistinct(paths ...string) error {
	seen := make(map[string]string)
	for _, p := range paths {
		name := p
		switch {
		case isStandardOutput(p):
			name = "-"
		case !blockstore.IsRemote(p):
			name = realPath(p)
		}
		if other, ok := seen[name]; ok {
			if other != p && filepath.Clean(other) != filepath.Clean(p) && name != "-" {
				return flags.Usagef("%s and %s are one file, named for two outputs", other, p)
			}
			return flags.Usagef("%s is named for two outputs", p)
		}
		seen[name] = p
	}
	return nil
}

// checkOutputs refuses, before any work, files that could not be written.
func checkOutputs(a *app, files []fileFlag, inputs []string) error {
	named := []string{}
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := checkOutput(a, f.flag, f.path, f.extensions, inputs); err != nil {
			return err
		}
		named = append(named, f.path)
	}
	return checkDistinct(named...)
}
