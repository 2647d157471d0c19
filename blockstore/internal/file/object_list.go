package file

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// isWeb reports whether a URL refers to a web server, which has no listing; * and ? are part of its
// names.
func isWeb(url string) bool { return strings.HasPrefix(url, "http") }

// Parallel returns how many of paths are opened at the same time: several if all are URLs.
func Parallel(paths []string) int {
	if slices.ContainsFunc(paths, func(path string) bool { return object.Scheme(path) == "" }) {
		return 1
	}
	return 8
}

// expandObjects returns the objects of a URL, in byte order: the one of this name, those that match
// a glob, or all in a folder. Globs and folders skip names that begin with . or _.
func (s *Session) expandObjects(ctx context.Context, url string) ([]string, error) {
	if isWeb(url) {
		return []string{url}, nil
	}
	if at := strings.IndexAny(url, "*?[{"); at >= 0 {
		return s.expandObjectGlob(ctx, url, url[:at])
	}
	folder := strings.TrimSuffix(url, "/")
	if folder == url {
		_, err := s.OpenObject(ctx, url)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return []string{url}, err
		}
	}
	names, err := s.below(ctx, folder+"/", func(string) bool { return true })
	switch {
	case err != nil:
		return nil, err
	case len(names) > 0:
		return names, nil
	case folder != url:
		return nil, fault.File(url, "there are no objects below this, those apart that begin with . or _").WithKind(stream.Missing).WithRemedy("name another folder")
	}
	return nil, s.missingObject(ctx, url)
}

// expandObjectGlob returns the objects that match a pattern beginning with prefix, including those
// in matching folders.
func (s *Session) expandObjectGlob(ctx context.Context, pattern, prefix string) ([]string, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fault.File(pattern, "the brackets of this glob do not fit").WithRemedy("close them, or put a backslash before one that is meant")
	}
	names, err := s.below(ctx, prefix, func(name string) bool {
		return doublestar.MatchUnvalidated(pattern, name) || doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/")+"/**", name)
	})
	if err == nil && len(names) == 0 {
		err = fault.File(pattern, "no object matches, those apart that begin with . or _").WithKind(stream.Missing).WithRemedy("use ** to go into folders")
	}
	return names, err
}

// below returns the wanted objects with a prefix that are not hidden. Objects whose names end in /
// represent folders and are skipped.
func (s *Session) below(ctx context.Context, prefix string, wanted func(name string) bool) (names []string, err error) {
	stores, objects := s.stores(), s.objects()
	store, err := stores.Of(prefix)
	if err != nil {
		return nil, err
	}
	var kind, table string
	err = stores.Patience.Retry(ctx, func(ctx context.Context, beat func()) error {
		names, kind, table = nil, "", ""
		return store.List(ctx, prefix, func(name string, o object.Object) error {
			beat()
			if of, folder := tableOf(name); of != "" {
				kind, table = of, folder
			}
			hidden := slices.ContainsFunc(strings.Split(name[strings.LastIndex(prefix, "/")+1:], "/"), isHiddenKey)
			if !strings.HasSuffix(name, "/") && !hidden && wanted(name) {
				names = append(names, name)
				objects.keep(&Object{Name: name, Size: o.Size(), object: o, stores: stores, chunks: &objects.chunks})
			}
			return nil
		})
	})
	if err != nil {
		return nil, objectError(ctx, strings.TrimSuffix(prefix, "/"), err)
	}
	if kind != "" && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, table+"/") }) {
		return nil, tableError(kind, table)
	}
	slices.Sort(names)
	return names, nil
}

// isHiddenKey reports whether a name is hidden by convention.
func isHiddenKey(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// missingObject reports that there is no object of that name, with similar names.
func (s *Session) missingObject(ctx context.Context, url string) error {
	folder := url[:strings.LastIndex(url, "/")+1]
	var near []string
	if names, err := s.below(ctx, folder, func(name string) bool { return !strings.Contains(name[len(folder):], "/") }); err == nil {
		for _, n := range names {
			near = append(near, n[len(folder):])
		}
	}
	if name := fault.Nearest(url[len(folder):], near); name != "" {
		return noObject(url).WithRemedy("did you mean %s?", folder+name)
	}
	return noObject(url)
}
