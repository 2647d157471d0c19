package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// checkOutput refuses, before any work, an output that could not be written: its
// extension is not one of those given, its folder is missing or read-only, or
// it is one of the inputs.
func (a *app) checkOutput(flag, path string, extensions, inputs []string) error {
	if err := a.checkFormat(flag, path, extensions); err != nil {
		return err
	}
	if isPipe(path) {
		a.writesRowsTo(path)
		return nil
	}
	if blockstore.IsRemote(path) {
		return checkRemoteOutput(flag, path, inputs)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return usagef("%s %s: this is a folder; name a file in it", flag, path)
	case err == nil:
		for _, in := range inputs {
			if reads(in, path, info) {
				return usagef("%s %s: this file is also read, by %s; give the output another name", flag, path, in)
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return usagef("%s %s: %v", flag, path, err)
	}
	return checkFolder(flag, path)
}

// reads reports whether the input, a file, folder or glob, has the file at path.
func reads(input, path string, file fs.FileInfo) bool {
	info, err := os.Stat(input)
	switch {
	case err == nil && info.IsDir():
		within, err := filepath.Rel(input, path)
		return err == nil && filepath.IsLocal(within)
	case err == nil:
		return os.SameFile(info, file)
	}
	match, err := doublestar.PathMatch(filepath.Clean(input), filepath.Clean(path))
	return err == nil && match
}

// checkFolder tries whether a file can be made beside path.
func checkFolder(flag, path string) error {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return usagef("%s %s: there is no folder %s; make it first", flag, path, folder)
	}
	f, err := os.CreateTemp(folder, ".nystream-*")
	if err != nil {
		return usagef("%s %s: nothing can be written in %s: %v", flag, path, folder, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// writerBudget adds what writing rows of that many numbers to path takes: for a
// short file no more than a few copies of it.
func (a *app) writerBudget(b *stream.Budget, path string, rows int64, columns int) {
	holds := blockstore.WriterBytes(a.formatOf(path), columns)
	if rows >= 0 {
		holds = min(holds, 4*8*rows*int64(columns))
	}
	if holds > 0 {
		b.Items = append(b.Items, stream.BudgetItem{What: "writer of " + path, Bytes: holds, Knob: "it by writing .npy"})
	}
}

// checkDistinct refuses two outputs of one name.
func checkDistinct(paths ...string) error {
	seen := make(map[string]bool)
	for _, p := range paths {
		if p = filepath.Clean(p); isStandardOutput(p) {
			p = "-"
		}
		if seen[p] {
			return usagef("%s is named for two outputs", p)
		}
		seen[p] = true
	}
	return nil
}

// checkOutputs refuses, before any work, files that could not be written.
func (a *app) checkOutputs(files []fileFlag, inputs []string) error {
	named := []string{}
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := a.checkOutput(f.flag, f.path, f.extensions, inputs); err != nil {
			return err
		}
		if f.flag != "-o" {
			named = append(named, f.path)
		}
	}
	return checkDistinct(named...)
}
