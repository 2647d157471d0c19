package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// rowsFormat is the format that --output-format names.
type rowsFormat struct {
	outputFormat string
	compression  string
	digests      bool // the digests of files that are created will be asked for
	carriesRows  bool // the standard output does: reports go to the standard error
}

// addOutputFormat adds the flag of verbs that write rows.
func addOutputFormat(a *app, s *flags.Set) {
	compressions := blockstore.Compressions("parquet")
	s.Add(
		flags.Flag{Name: "output-format", Arg: "format", Usage: "format of pipes and files without an extension", Doc: strings.Join(blockstore.OutputFormats(), ", ") + "; pipes have csv if not given",
			Group: flags.Output, Effect: flags.Writes, Value: flags.String(&a.outputFormat, ""), Complete: flags.OneOf(blockstore.OutputFormats())},
		flags.Flag{Name: "compression", Arg: "word", Usage: "compression of Parquet files and stores", Doc: strings.Join(compressions, ", "),
			Group: flags.Output, Effect: flags.Writes, Value: flags.String(&a.compression, ""), Complete: flags.OneOf(compressions)},
	)
}

// standardOutputs are the names of the standard output.
var standardOutputs = []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

func isStandardOutput(path string) bool { return slices.Contains(standardOutputs, path) }

// outputName returns how reports call an output.
func outputName(path string) string {
	if isStandardOutput(path) {
		return "standard output"
	}
	return path
}

// isPipe reports whether what is written to path cannot be taken back: it is the standard
// output, a named pipe or a device.
func isPipe(path string) bool {
	if isStandardOutput(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// formatOf returns the format of rows that go to path, or "" if nothing tells.
func formatOf(a *app, path string) string {
	if !isPipe(path) {
		if format := blockstore.OutputFormat(path); format != "" {
			return format
		}
	} else if a.outputFormat == "" {
		return "csv"
	}
	return a.outputFormat
}

// extensionOf returns the usual extension of files that are written in a format, without its dot.
func extensionOf(format string) string { return blockstore.OutputExtensions(format)[0][1:] }

// checkFormat refuses a format of rows for path that is not among the extensions, or is
// not what the name says.
func checkFormat(a *app, flag, path string, extensions []string) error {
	format, own := formatOf(a, path), ownExtension(path)
	formats := []string{}
	for _, f := range blockstore.OutputFormats() {
		if slices.Contains(extensions, extensionOf(f)) && (!isPipe(path) || slices.Contains(blockstore.PipeFormats(), f)) {
			formats = append(formats, f)
		}
	}
	untold := len(formats) > 0 && !isPipe(path) && a.outputFormat != "" && blockstore.OutputFormat(path) == ""
	switch {
	case len(formats) == 0 && isPipe(path):
		return flags.Usagef("%s %s: only rows can be written to a pipe; name a file that ends in .%s", flag, path, strings.Join(extensions, " ."))
	case isPipe(path) && !slices.Contains(formats, format):
		return flags.Usagef("%s %s: --output-format %s cannot be written to a pipe; use one of %s, or name a file%s", flag, path, format, strings.Join(formats, ", "), flags.DidYouMean(format, formats))
	case untold && !slices.Contains(formats, format):
		return flags.Usagef("--output-format %q: use one of %s%s", format, strings.Join(formats, ", "), flags.DidYouMean(format, formats))
	case len(formats) > 0 && a.outputFormat != "" && format != a.outputFormat:
		return flags.Usagef("%s %s: by its name it is %s, and --output-format says %s; leave that out, or give the file another name", flag, path, format, a.outputFormat)
	case len(formats) > 0 && a.compression != "" && !slices.Contains(blockstore.Compressions(format), a.compression):
		return flags.Usagef("%s %s: --compression %s is not for a file of the format %s, which takes %s%s", flag, path, a.compression, format, strings.Join(blockstore.Compressions(format), ", "), flags.DidYouMean(a.compression, blockstore.Compressions(format)))
	case !isPipe(path) && !untold && !slices.Contains(extensions, own):
		return flags.Usagef("%s %s: the name must end in one of .%s", flag, path, strings.Join(extensions, " ."))
	case isStandardOutput(path) && isTerminal(a.out) && slices.Contains([]string{"npy", "arrow-stream", "parquet"}, format):
		return flags.Usagef("%s %s: %s is not for a terminal; send it to a file or a program, or use --output-format csv", flag, path, format)
	}
	return nil
}

// ownExtension returns the extension that tells what is in a file, csv of rows.csv.gz.
func ownExtension(path string) string {
	if format := blockstore.OutputFormat(path); format != "" && slices.Contains([]string{".gz", ".zst"}, strings.ToLower(filepath.Ext(path))) {
		return extensionOf(format)
	}
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}

func isTerminal(out io.Writer) bool {
	if p, ok := out.(*standardOutput); ok {
		out = p.Writer
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// errNobodyReads is the error of writing to a pipe whose reader has gone, as head does
// when it has seen enough.
var errNobodyReads = errors.New("nobody reads the output any more")

// standardOutput tells when nobody reads what is written to it.
type standardOutput struct{ io.Writer }

func (o *standardOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = errNobodyReads
	}
	return n, err
}

// writesRowsTo prepares for rows that go to path: if that is the standard output, reports go
// to the standard error, and with --quiet only as JSON.
func (a *app) writesRowsTo(path string) { a.carriesRows = a.carriesRows || isStandardOutput(path) }

// reportTo returns where reports go.
func (a *app) reportTo() io.Writer {
	switch {
	case !a.carriesRows:
		return a.out
	case a.quiet && !a.json():
		return io.Discard
	}
	return a.err
}

// create starts to write rows to a file or to a pipe.
func create(a *app, path string, s blockstore.Schema) (blockstore.Writer, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, fmt.Errorf("cannot write %s: the matrix is zero up to rounding and the model has rank 0, so that rows have no columns; mend the data or the kernel, or do not write rows", path)
	}
	s.Format, s.Compression, s.Digest, s.Memory = formatOf(a, path), a.compression, a.digests, int64(a.memory)
	noteRenamed(a, s)
	if a.origin == nil {
		a.origin = a.made()
	}
	s.About = a.origin.about()
	if !isPipe(path) {
		return a.session.Create(path, s)
	}
	if isStandardOutput(path) {
		return blockstore.NewWriter(a.out, "to the standard output", s)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	w, err := blockstore.NewWriter(&standardOutput{f}, path, s)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &pipeFile{w, f}, nil
}

// noteRenamed names the columns that the header of CSV calls otherwise.
func noteRenamed(a *app, s blockstore.Schema) {
	names := slices.Clone(s.Columns)
	for _, k := range s.Kept {
		names = append(names, k.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return blockstore.HeaderName(name) == name })
	if len(names) > 0 && (s.Format == "csv" || s.Format == "tsv") {
		a.note("columns get an x before their names in CSV, where a header of numbers is read as a row: %s", shortList(names))
	}
}

// pipeFile is a named pipe that rows go to. Its reader sees the end when it is closed.
type pipeFile struct {
	blockstore.Writer
	file *os.File
}

func (w *pipeFile) Commit() error { return errors.Join(w.Writer.Commit(), w.file.Close()) }

func (w *pipeFile) Abort() {
	w.Writer.Abort()
	w.file.Close()
}
