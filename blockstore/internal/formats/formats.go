// Package formats holds the table of all formats. It detects the format of a file by its first
// bytes if they identify it, otherwise by its extension.
package formats

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Names of formats, as in blockstore.Options.Format and blockstore.Schema.Format.
const (
	Parquet     = "parquet"
	Arrow       = "arrow"
	ArrowStream = "arrow-stream"
	NPY         = "npy"
	NPZ         = "npz"
	Store       = "nys"
	CSV         = "csv"
	Libsvm      = "libsvm"
	JSONLines   = "jsonl"

	// TSV is CSV with tabs, for writing. Files are read as CSV, which detects the delimiter.
	TSV = "tsv"

	// Compressed text; not a value of blockstore.Options.Format.
	Gzip  = "gzip"
	Zstd  = "zstd"
	Bzip2 = "bzip2"

	// Text in another encoding, by its byte order mark; not a value of blockstore.Options.Format.
	UTF16 = "utf-16"
)

// IsCompressed reports whether a format is compressed text.
func IsCompressed(format string) bool {
	return format == Gzip || format == Zstd || format == Bzip2
}

// magics maps the first bytes of a file to its format, or to the reason why it cannot be read.
var magics = []struct {
	magic, format string
	reason        *stream.DataError
}{
	{"\xff\xfe", UTF16, nil},
	{"\xfe\xff", UTF16, nil},
	{"PAR1", Parquet, nil},
	{"PARE", "", fault.New("it is an encrypted Parquet file").WithRemedy("write it without encryption")},
	{"ARROW1", Arrow, nil},
	{"\xff\xff\xff\xff", ArrowStream, nil},
	{"\x93NUMPY", NPY, nil},
	{"\x89NYS\r\n\x1a\n", Store, nil},
	{"PK\x03\x04", NPZ, nil},
	{"PK\x05\x06", "", fault.New("it is an empty zip archive").
		WithRemedy("put an array (.npy) into it, or name another file")},
	{"\x1f\x8b", Gzip, nil},
	{"\x28\xb5\x2f\xfd", Zstd, nil},
	{"BZh", Bzip2, nil},
}

// Sniff returns the format of a file by its first bytes if they identify it, otherwise by its
// extension. Text with an unspecific extension (.data, .dat, .scale, none) is libsvm if its first
// line looks like it, else CSV. Text with an extension of CSV is libsvm if its first line can
// hardly be anything else.
func Sniff(ctx context.Context, files *file.Session, path string) (format string, err error) {
	f, _, err := files.OpenEdges(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return SniffIn(f, path)
}

// SniffIn returns the format of an open file with the given path.
func SniffIn(f io.ReaderAt, path string) (format string, err error) {
	head, err := readHead(f)
	if err != nil {
		if errors.As(err, new(*stream.DataError)) {
			return "", err // an error of an object, with its name
		}
		return "", fault.File(path, "its beginning cannot be read: %w", err).WithRemedy("is its disk in order?")
	}
	found, reason := ByMagic(head)
	named := ByExtension(filepath.Ext(path))
	if found == "" && reason == nil && named != "" && !IsText(named) {
		found, reason = byMark(head) // PAR1 in a file of this name is not a word of a text
	}
	if strings.EqualFold(filepath.Ext(path), ".arff") { // comments may precede the line @relation
		reason = arff
	}
	switch {
	case reason != nil:
		return "", fault.File(path, "%w", reason)
	case found != "":
		return found, nil
	}
	switch {
	case named == CSV && isText(head) && isLibsvm(head):
		return Libsvm, nil
	case IsText(named), named == ArrowStream: // formats without a magic number
		return named, nil
	case named == "":
		if head == "" {
			return "", fault.File(path, "the file is empty").WithRemedy("is it the right file?")
		}
		if isText(head) {
			return textFormat(head), nil
		}
		return "", fault.File(path, "its format is known neither by its extension nor by its first bytes").
			WithRemedy("name the format, one of %s", strings.Join(All(), ", "))
	default:
		return "", fault.File(path, "it does not begin like a file of the format %s but with %q: it is damaged, or has the wrong extension", named, head[:min(len(head), 8)]).
			WithRemedy("make or fetch it again, or name its format")
	}
}

// ByMagic returns the format, or the reason why the file cannot be read, by its first bytes. It
// ignores short magic words in text: a CSV file may begin with a column called ORC.
func ByMagic(head string) (format string, reason *stream.DataError) {
	if reason := foreign(head); reason != nil {
		return "", reason
	}
	if isText(head) {
		return "", nil
	}
	return byMark(head)
}

// byMark is ByMagic for a head that cannot be text.
func byMark(head string) (format string, reason *stream.DataError) {
	if len(head) > 3 && head[0]&0xf0 == 0x50 && head[1:4] == "\x2a\x4d\x18" {
		return Zstd, nil // a skippable frame
	}
	for _, m := range magics {
		if strings.HasPrefix(head, m.magic) {
			return m.format, m.reason
		}
	}
	return "", nil
}

// textFormat distinguishes JSON lines and libsvm, a label followed by pairs such as 3:0.5, from CSV
// by the beginning of a text.
func textFormat(head string) string {
	if strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), `{"`) {
		return JSONLines
	}
	for line := range strings.Lines(head) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "%") || strings.HasPrefix(fields[0], "#") {
			continue
		}
		index, _, pair := strings.Cut(fields[1], ":")
		if _, err := strconv.ParseUint(index, 10, 32); pair && (err == nil || index == "qid") {
			return Libsvm
		}
		break
	}
	return CSV
}

// isLibsvm reports whether a text begins with a label and at least two pairs with ascending
// indices, and with nothing else as far as its head shows.
func isLibsvm(head string) bool {
	line, rest, whole := strings.Cut(head, "\n")
	fields := strings.Fields(line)
	if !whole && rest == "" && len(head) == HeadLength && len(fields) > 0 {
		fields = fields[:len(fields)-1] // the last field may be truncated
	}
	if len(fields) < 3 {
		return false
	}
	if _, err := strconv.ParseFloat(fields[0], 64); err != nil {
		return false
	}
	last := int64(-1)
	for _, pair := range fields[1:] {
		index, value, _ := strings.Cut(pair, ":")
		i, err := strconv.ParseUint(index, 10, 32)
		if _, bad := strconv.ParseFloat(value, 64); err != nil || bad != nil || int64(i) <= last {
			return false
		}
		last = int64(i)
	}
	return true
}

// HeadLength is the number of bytes that distinguish text from other data.
const HeadLength = 64

// isText reports whether the beginning of a file can be text. The last character of a full head may
// be truncated.
func isText(head string) bool {
	if len(head) == HeadLength {
		head = head[:HeadLength-utf8.UTFMax]
	}
	return !strings.ContainsFunc(head, func(r rune) bool {
		return r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}

// readHead reads the first bytes of a file.
func readHead(f io.ReaderAt) (string, error) {
	head := make([]byte, HeadLength)
	n, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(head[:n]), err
}
