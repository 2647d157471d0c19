package formats

import "strings"

// What to do with files of other programs.
const (
	array  = "save the array with numpy.save, or the table as Parquet"
	matlab = "it is a MATLAB file; save the matrix with writematrix or numpy.save"
	pickle = "it is a pickle, which only Python can read; " + array
	page   = "it is a web page and not data; was the page of a download saved instead of the file?"
	arff   = "it is an ARFF file, which is not read; convert it to CSV"
)

// foreigners are files of other programs, by their first bytes, with what to do instead.
var foreigners = []struct{ magic, remedy string }{
	{"\x89HDF\r\n\x1a\n", "it is an HDF5 file; " + array},
	{"MATLAB 5.0 MAT-file", matlab},
	{"MATLAB 7.3 MAT-file", matlab},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an old Excel workbook (.xls), or another document of Office; save the sheet as CSV"},
	{"SQLite format 3\x00", "it is a SQLite database; write the table as CSV"},
	{"\x80\x02", pickle},
	{"\x80\x03", pickle},
	{"\x80\x04\x95", pickle},
	{"\x80\x05\x95", pickle},
	{"ORC", "it is an ORC file; convert it to Parquet"},
	{"\xfd7zXZ\x00", "it is compressed with xz; decompress it first"},
	{"@relation ", arff},
	{"version https://git-lfs.github.com/spec/", "it is a pointer of Git LFS and not the data itself; fetch that with: git lfs pull"},
	{"<!DOCTYPE html", page},
	{"<html", page},
}

// short is the length up to which the magic of a foreign file may be the beginning of a text.
const short = 5

// foreign returns what to do with a file of another program, "" for others.
func foreign(head string) string {
	text := isText(head)
	for _, f := range foreigners {
		if len(head) >= len(f.magic) && strings.EqualFold(head[:len(f.magic)], f.magic) && (!text || len(f.magic) >= short) {
			return f.remedy
		}
	}
	return ""
}
