package formats

import (
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// Reasons why files of other programs cannot be read.
var (
	matlab = fault.New("it is a MATLAB file").WithRemedy("save the matrix with writematrix or numpy.save")
	pickle = fault.New("it is a pickle, which only Python can read").WithRemedy(array)
	page   = fault.New("it is a web page and not data").
		WithRemedy("was the page of a download saved instead of the file?")
	arff = fault.New("it is an ARFF file, which is not read").WithRemedy("convert it to CSV")
)

const array = "save the array with numpy.save, or the table as Parquet"

// foreigners lists magic numbers of other programs' files, with the reason why these cannot be
// read.
var foreigners = []struct {
	magic  string
	reason *stream.DataError
}{
	{"\x89HDF\r\n\x1a\n", fault.New("it is an HDF5 file").WithRemedy(array)},
	{"MATLAB 5.0 MAT-file", matlab},
	{"MATLAB 7.3 MAT-file", matlab},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", fault.New("it is an old Excel workbook (.xls), or another document of Office").WithRemedy("save the sheet as CSV")},
	{"SQLite format 3\x00", fault.New("it is a SQLite database").WithRemedy("write the table as CSV")},
	{"\x80\x02", pickle},
	{"\x80\x03", pickle},
	{"\x80\x04\x95", pickle},
	{"\x80\x05\x95", pickle},
	{"ORC", fault.New("it is an ORC file").WithRemedy("convert it to Parquet")},
	{"\xfd7zXZ\x00", fault.New("it is compressed with xz").WithRemedy("decompress it first")},
	{"@relation ", arff},
	{"version https://git-lfs.github.com/spec/", fault.New("it is a pointer of Git LFS and not the data itself").WithRemedy("fetch that with: git lfs pull")},
	{"<!DOCTYPE html", page},
	{"<html", page},
}

// shortMagic is the length up to which a foreign magic number may also be the beginning of a text.
const shortMagic = 5

// foreign returns the reason why a file of another program cannot be read, nil for other files.
func foreign(head string) *stream.DataError {
	text := isText(head)
	for _, f := range foreigners {
		if len(head) >= len(f.magic) && strings.EqualFold(head[:len(f.magic)], f.magic) && (!text || len(f.magic) >= shortMagic) {
			return f.reason
		}
	}
	return nil
}
