package formats

import (
	"slices"
	"strings"
)

// Format is what is known of a format without opening a file.
type Format struct {
	Name string
	// Read are the extensions of files that are read in this format, in lower case. The first one is
	// the usual one. A format without any cannot be read.
	Read []string
	// Written are likewise the extensions of files that are written in it.
	Written []string
	// Text says that files of the format are text: they may be compressed as a whole, come through a
	// pipe, and have any encoding.
	Text bool
}

// table has all formats, in the order in which messages and help list them. No extension is in two
// formats that are read, nor in two that are written.
var table = []Format{
	{Parquet, []string{".parquet", ".pq"}, []string{".parquet"}, false},
	{Arrow, []string{".arrow", ".feather", ".ipc"}, []string{".arrow", ".feather", ".ipc"}, false},
	{ArrowStream, []string{".arrows"}, []string{".arrows"}, false},
	{NPY, []string{".npy"}, []string{".npy"}, false},
	{NPZ, []string{".npz"}, nil, false},
	{CSV, []string{".csv", ".tsv", ".txt"}, []string{".csv"}, true},
	{TSV, nil, []string{".tsv"}, true},
	{JSONLines, []string{".jsonl", ".ndjson", ".json"}, []string{".jsonl", ".ndjson"}, true},
	{Libsvm, []string{".libsvm", ".svm", ".svmlight"}, []string{".libsvm", ".svm"}, true},
	{Store, []string{".nys"}, []string{".nys"}, false},
}

// All returns the formats that a user may name to read files.
func All() []string { return names(func(f Format) bool { return len(f.Read) > 0 }) }

// AllWritten returns the formats that a user may name to write files.
func AllWritten() []string { return names(func(f Format) bool { return len(f.Written) > 0 }) }

// names returns the names of the formats that are chosen.
func names(chosen func(Format) bool) (list []string) {
	for _, f := range table {
		if chosen(f) {
			list = append(list, f.Name)
		}
	}
	return list
}

// Of returns the format with a name; the zero Format if there is none.
func Of(name string) Format {
	for _, f := range table {
		if f.Name == name {
			return f
		}
	}
	return Format{}
}

// ByExtension returns the format in which files with this extension are read, or "".
func ByExtension(extension string) string {
	return byExtension(extension, func(f Format) []string { return f.Read })
}

// WrittenBy returns the format in which files with this extension are written, or "".
func WrittenBy(extension string) string {
	return byExtension(extension, func(f Format) []string { return f.Written })
}

// byExtension returns the format that has an extension in one of its lists.
func byExtension(extension string, list func(Format) []string) string {
	extension = strings.ToLower(extension)
	for _, f := range table {
		if slices.Contains(list(f), extension) {
			return f.Name
		}
	}
	return ""
}

// IsText reports whether a format is one of text.
func IsText(format string) bool { return Of(format).Text }
