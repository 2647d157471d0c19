package file

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// Stdin is the path that means the standard input.
const Stdin = "-"

// IsRemote reports whether a path refers to an object, s3://bucket/key, not to a file.
func IsRemote(path string) bool { return object.Scheme(path) != "" }

// Plain returns a path as messages show it, without credentials. A file:// URL becomes the path of
// the file.
func Plain(path string) (string, error) {
	scheme := object.Scheme(path)
	if scheme != "file" {
		if scheme != "" {
			path = object.Hide(path)
		}
		return path, nil
	}
	u, err := url.Parse(path)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.File(path, "it is no URL of a file on this machine").WithRemedy("write file:///PATH, with %%3F for ? and %%23 for #")
	}
	return filepath.FromSlash(u.Path), nil
}

// Expand expands files, globs and folders to files. Arguments keep their order; the files of a glob
// or a folder are sorted bytewise.
func (s *Session) Expand(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, fault.New("there is no input").
			WithRemedy("name files, quoted globs, folders, or - for the standard input")
	}
	lists := make([][]string, len(paths))
	err := stream.Each(ctx, Parallel(paths), len(paths), func(i int) (err error) {
		if lists[i], err = s.expandPath(ctx, paths[i]); err == nil {
			err = s.config().Seen.checkList(paths[i], lists[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	files := slices.Concat(lists...)
	if len(files) > 1 && slices.Contains(files, Stdin) {
		return nil, fault.New("the standard input (-) cannot be combined with files").
			WithRemedy("name one or the other")
	}
	return files, nil
}

// expandPath expands one argument. An existing file takes precedence over a glob of the same name.
func (s *Session) expandPath(ctx context.Context, path string) ([]string, error) {
	if path == Stdin {
		return []string{Stdin}, nil
	}
	path, err := Plain(path)
	if err != nil {
		return nil, err
	}
	if IsRemote(path) {
		return s.expandObjects(ctx, path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return walkFolder(path)
	case err == nil:
		return []string{path}, nil
	case !errors.Is(err, fs.ErrNotExist) && !IsGlob(path):
		return nil, err
	case IsGlob(path):
		return expandGlob(path)
	}
	return nil, Missing(path)
}

// IsGlob reports whether a path has a glob's special characters.
func IsGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

// Missing reports that path does not exist, with similar names.
func Missing(path string) error {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fault.File(path, "no such file, and the folder %s cannot be read either: %w", dir, WithoutPath(err)).
			WithKind(stream.Missing).WithRemedy("is the path right?")
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := fault.Nearest(filepath.Base(path), names); near != "" {
		return fault.File(path, "no such file").WithKind(stream.Missing).
			WithRemedy("did you mean %s?", filepath.Join(dir, near))
	}
	return fault.File(path, "no such file").WithKind(stream.Missing).WithRemedy("is the path right?")
}

// expandGlob returns the files that match a pattern. A matching folder contributes all its files,
// unless the pattern's ** already descends into it.
func expandGlob(pattern string) ([]string, error) {
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, badGlob(pattern, err)
	}
	var files []string
	checked := ""
	for _, path := range matches {
		if hiddenIn(path, pattern) {
			continue
		}
		if dir := filepath.Dir(path); dir != checked {
			if err := checkTable(dir); err != nil {
				return nil, err
			}
			checked = dir
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, path)
		case !strings.Contains(pattern, "**"):
			more, err := walkFolder(path)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
	}
	if len(files) == 0 {
		return nil, fault.File(pattern, "no file matches, those apart that begin with . or _ or are in folders that do").WithKind(stream.Missing).
			WithRemedy("use ** to go into folders")
	}
	return sortUnique(files), nil
}

// badGlob reports that a glob cannot be used.
func badGlob(pattern string, err error) error {
	if errors.Is(err, doublestar.ErrBadPattern) {
		return fault.File(pattern, "the brackets of this glob do not fit").WithRemedy("close them, or put a backslash before one that is meant")
	}
	return fault.File(pattern, "this glob cannot be used: %w", err)
}

// hiddenIn reports whether a match is hidden and the pattern does not request hidden names.
func hiddenIn(path, pattern string) bool {
	base, special := doublestar.SplitPattern(filepath.ToSlash(pattern))
	for _, name := range strings.Split(special, "/") {
		if isHidden(name) {
			return false
		}
	}
	below, err := filepath.Rel(filepath.FromSlash(base), path)
	return err == nil && slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), isHidden)
}

// isHidden reports whether a name is hidden by convention: _SUCCESS, .part-0.crc.
func isHidden(name string) bool {
	return name != "." && name != ".." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"))
}

// walkFolder returns all files in a folder, recursively, except hidden ones.
func walkFolder(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = checkTable(path)
		}
		switch {
		case err != nil:
			return err
		case path != folder && isHidden(d.Name()) && d.IsDir():
			return filepath.SkipDir
		case !d.IsDir() && !isHidden(d.Name()):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fault.File(folder, "the folder holds no files, those apart that begin with . or _").WithKind(stream.Missing).WithRemedy("name another")
	}
	return sortUnique(files), err
}

// sortUnique sorts bytewise, with / as the separator on every system, and removes duplicates.
func sortUnique(files []string) []string {
	slices.SortFunc(files, func(a, b string) int {
		return strings.Compare(filepath.ToSlash(a), filepath.ToSlash(b))
	})
	return slices.Compact(files)
}
