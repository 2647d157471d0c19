package rows

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// AddOutputFormat adds the flag of verbs that write rows.
func AddOutputFormat(a *app.App, s *flags.Set) {
	compressions := blockstore.Compressions("parquet")
	s.Add(
		flags.Flag{Name: "output-format", Arg: "format", Usage: "output format of pipes and files without an extension", Doc: strings.Join(blockstore.OutputFormats(), ", ") + "; pipes have csv if not given",
			Group: flags.Output, Effect: flags.Writes, Value: flags.String(&a.OutputFormat, ""), Complete: flags.OneOf(blockstore.OutputFormats())},
		flags.Flag{Name: "compression", Arg: "word", Usage: "compression of Parquet files and stores", Doc: strings.Join(compressions, ", "),
			Group: flags.Output, Effect: flags.Writes, Value: flags.String(&a.Compression, ""), Complete: flags.OneOf(compressions)},
	)
}

// IsInputPipe reports whether path, such as a pipe or -, can be read only once.
func IsInputPipe(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// isOutputPipe reports whether writes to path cannot be undone: it is standard output, a named pipe or a device.
func isOutputPipe(path string) bool {
	if app.IsStandardOutput(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// FormatOf returns the output format for path, "" if unknown.
func FormatOf(a *app.App, path string) string {
	if !isOutputPipe(path) {
		if format := blockstore.OutputFormat(path); format != "" {
			return format
		}
	} else if a.OutputFormat == "" {
		return "csv"
	}
	return a.OutputFormat
}

// Create starts writing rows to a file or a pipe.
func Create(a *app.App, path string, s blockstore.Schema) (blockstore.Writer, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, fmt.Errorf("cannot write %s: the matrix is zero up to rounding and the model has rank 0, so rows have no columns; change the data or the kernel, or write no rows", path)
	}
	s.Format, s.Compression, s.Digest, s.Memory = FormatOf(a, path), a.Compression, a.Digests, int64(a.Memory)
	noteRenamed(a, s)
	if a.Provenance == nil {
		a.Provenance = a.NewProvenance()
	}
	s.Metadata = a.Provenance.Metadata()
	if !isOutputPipe(path) {
		return a.Session.Create(path, s)
	}
	if app.IsStandardOutput(path) {
		return blockstore.NewWriter(a.Out, "to the standard output", s)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	w, err := blockstore.NewWriter(a.Pipe(f), path, s)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &pipeFile{w, f}, nil
}

// noteRenamed notes columns with another name in the CSV header.
func noteRenamed(a *app.App, s blockstore.Schema) {
	names := slices.Clone(s.Columns)
	for _, k := range s.Kept {
		names = append(names, k.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return blockstore.HeaderName(name) == name })
	if len(names) > 0 && (s.Format == "csv" || s.Format == "tsv") {
		a.Note("names of columns get an x in front, as CSV with a header of numbers would be read as a row: %s", ShortList(names))
	}
}

// pipeFile is a named pipe for rows. Closing it signals the end to its reader.
type pipeFile struct {
	blockstore.Writer
	file *os.File
}

func (w *pipeFile) Commit() error { return errors.Join(w.Writer.Commit(), w.file.Close()) }

func (w *pipeFile) Abort() {
	w.Writer.Abort()
	w.file.Close()
}
