package rows

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// checkRemoteOutput fails early for an object that cannot be written, or is one of the inputs.
func checkRemoteOutput(a *app.App, flag, path string, inputs []string) error {
	for _, in := range inputs {
		match, _ := doublestar.Match(in, path)
		if in == path || match || strings.HasPrefix(path, strings.TrimSuffix(in, "/")+"/") {
			return flags.Usagef("%s %s: this object is also read, by %s; give the output another name", flag, path, in)
		}
	}
	if err := a.Session.CanWrite(path); err != nil {
		return flags.Usagef("%s %v", flag, err)
	}
	return nil
}

// FileFlag is a file named by a flag.
type FileFlag struct {
	Flag, Path string
	Extensions []string
	What       string // description in the report
}

// CheckOutput fails early for an output that cannot be written: its extension is not allowed, its folder is missing or
// read-only, or it is one of the inputs.
func CheckOutput(a *app.App, flag, path string, extensions, inputs []string) error {
	if err := checkFormat(a, flag, path, extensions); err != nil {
		return err
	}
	if isOutputPipe(path) {
		a.WritesRowsTo(path)
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
			if includes(in, path, info) {
				return flags.Usagef("%s %s: this file is also read, by %s; give the output another name", flag, path, in)
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return flags.Usagef("%s %s: %v", flag, path, err)
	}
	return CheckFolder(flag, path)
}

// includes reports whether the input, a file, folder or glob, includes the file at path.
func includes(input, path string, file fs.FileInfo) bool {
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

// realPath returns the absolute path of a file, which need not exist, with symbolic links resolved.
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

// CheckFolder checks that a file can be created at path.
func CheckFolder(flag, path string) error {
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
		return flags.Usagef("%s %s: the folder %s is not writable: %v", flag, path, folder, err)
	}
	return nil
}

// WriterBudget adds the memory for writing rows of the given number of columns to path, at most a few copies of a short
// file.
func WriterBudget(a *app.App, b *stream.Budget, path string, rows int64, columns int) {
	holds := blockstore.WriterBytesWithin(int64(a.Memory), FormatOf(a, path), columns)
	if rows >= 0 {
		holds = min(holds, 3*8*rows*int64(columns)) + blockstore.FooterBytes(int64(a.Memory), FormatOf(a, path), rows, columns)
	}
	if holds > 0 {
		b.Items = append(b.Items, stream.BudgetItem{What: "writer of " + path, Bytes: holds, Setting: "it by writing .npy"})
	}
}

// checkDistinct fails if two outputs are the same file.
func checkDistinct(paths ...string) error {
	seen := make(map[string]string)
	for _, p := range paths {
		name := p
		switch {
		case app.IsStandardOutput(p):
			name = "-"
		case !blockstore.IsRemote(p):
			name = realPath(p)
		}
		if other, ok := seen[name]; ok {
			if other != p && filepath.Clean(other) != filepath.Clean(p) && name != "-" {
				return flags.Usagef("%s and %s name the same output file", other, p)
			}
			return flags.Usagef("%s is named for two outputs", p)
		}
		seen[name] = p
	}
	return nil
}

// CheckOutputs fails early for files that cannot be written.
func CheckOutputs(a *app.App, files []FileFlag, inputs []string) error {
	named := []string{}
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		if err := CheckOutput(a, f.Flag, f.Path, f.Extensions, inputs); err != nil {
			return err
		}
		named = append(named, f.Path)
	}
	return checkDistinct(named...)
}

// extensionOf returns the usual extension of a format, without its dot.
func extensionOf(format string) string { return blockstore.OutputExtensions(format)[0][1:] }

// checkFormat fails if the output format for path is not among the extensions, or contradicts the extension of path.
func checkFormat(a *app.App, flag, path string, extensions []string) error {
	format, own := FormatOf(a, path), ownExtension(path)
	formats := []string{}
	for _, f := range blockstore.OutputFormats() {
		if slices.Contains(extensions, extensionOf(f)) && (!isOutputPipe(path) || slices.Contains(blockstore.PipeFormats(), f)) {
			formats = append(formats, f)
		}
	}
	untold := len(formats) > 0 && !isOutputPipe(path) && a.OutputFormat != "" && blockstore.OutputFormat(path) == ""
	switch {
	case len(formats) == 0 && isOutputPipe(path):
		return flags.Usagef("%s %s: only rows can be written to a pipe; name a file that ends in .%s", flag, path, strings.Join(extensions, " ."))
	case isOutputPipe(path) && !slices.Contains(formats, format):
		return flags.Usagef("%s %s: --output-format %s cannot be written to a pipe; use one of %s, or name a file%s", flag, path, format, strings.Join(formats, ", "), flags.DidYouMean(format, formats))
	case untold && !slices.Contains(formats, format):
		return flags.Usagef("--output-format %q: use one of %s%s", format, strings.Join(formats, ", "), flags.DidYouMean(format, formats))
	case len(formats) > 0 && a.OutputFormat != "" && format != a.OutputFormat:
		return flags.Usagef("%s %s: its extension means %s, and --output-format says %s; leave out the flag, or rename the file", flag, path, format, a.OutputFormat)
	case len(formats) > 0 && a.Compression != "" && !slices.Contains(blockstore.Compressions(format), a.Compression):
		return flags.Usagef("%s %s: --compression %s is not for a file of the format %s, which takes %s%s", flag, path, a.Compression, format, strings.Join(blockstore.Compressions(format), ", "), flags.DidYouMean(a.Compression, blockstore.Compressions(format)))
	case !isOutputPipe(path) && !untold && !slices.Contains(extensions, own):
		return flags.Usagef("%s %s: the name must end in one of .%s", flag, path, strings.Join(extensions, " ."))
	case app.IsStandardOutput(path) && app.IsTerminal(a.Out) && slices.Contains([]string{"npy", "arrow-stream", "parquet"}, format):
		return flags.Usagef("%s %s: %s is not for a terminal; send it to a file or a program, or use --output-format csv", flag, path, format)
	}
	return nil
}

// ownExtension returns the extension of the content: csv for rows.csv.gz.
func ownExtension(path string) string {
	if format := blockstore.OutputFormat(path); format != "" && slices.Contains([]string{".gz", ".zst"}, strings.ToLower(filepath.Ext(path))) {
		return extensionOf(format)
	}
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}
