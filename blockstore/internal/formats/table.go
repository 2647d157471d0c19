package formats

import (
	"slices"
	"strings"
)

// Format describes a format.
type Format struct {
	Name string
	// Read lists the extensions of files read in this format, in lower case, the usual one first. A
	// format without any cannot be read.
	Read []string
	// Written lists the extensions of files written in this format.
	Written []string
	// Text reports that files of the format are text: they may be compressed as a whole, come
	// through a pipe, and have any encoding.
	Text bool
}

// table lists all formats, in the order of messages and help. No extension belongs to two formats
// that are read, nor to two that are written.
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

// All returns the names of the formats that can be read.
func All() []string { return names(func(f Format) bool { return len(f.Read) > 0 }) }

// AllWritten returns the names of the formats that can be written.
func AllWritten() []string { return names(func(f Format) bool { return len(f.Written) > 0 }) }

// names returns the names of the chosen formats.
func names(chosen func(Format) bool) (list []string) {
	for _, f := range table {
		if chosen(f) {
			list = append(list, f.Name)
		}
	}
	return list
}

// Of returns the format with the given name, the zero Format if there is none.
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

// byExtension returns the name of the format whose list contains the extension.
func byExtension(extension string, list func(Format) []string) string {
	extension = strings.ToLower(extension)
	for _, f := range table {
		if slices.Contains(list(f), extension) {
			return f.Name
		}
	}
	return ""
}

// IsText reports whether a format is text.
func IsText(format string) bool { return Of(format).Text }
