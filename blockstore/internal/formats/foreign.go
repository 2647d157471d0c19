package formats

import "strings"

// sheet, array and frame are what to do with files of other programs.
const (
	sheet = "save the sheet as CSV, or with pandas: pandas.read_excel(f).to_parquet(g)"
	array = "save the array with numpy.save, or the table as Parquet"
	frame = "save the table as Parquet, as with pandas"
	arff  = "it is an ARFF file, which is not read; convert it to CSV"
)

// foreigners are files of other programs, by their first bytes, with what to do instead.
var foreigners = []struct{ magic, remedy string }{
	{"\x89HDF\r\n\x1a\n", "it is an HDF5 file; " + array},
	{"MATLAB 7.3 MAT-file", "it is a MATLAB file of version 7.3, which is HDF5: numpy.save(g, h5py.File(f)['X'][()].T), or save it in MATLAB with writematrix"},
	{"MATLAB 5.0 MAT-file", "it is a MATLAB file: numpy.save(g, scipy.io.loadmat(f)['X']), or save it in MATLAB with writematrix"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an old Excel workbook (.xls), or another document of Office; " + sheet},
	{"SQLite format 3\x00", "it is a SQLite database; write the table as CSV: sqlite3 -header -csv f 'select * from t' > t.csv"},
	{"FEA1", "it is a Feather file of version 1; write it again with version 2: pyarrow.feather.write_feather"},
	{"Obj\x01", "it is an Avro file; convert it to Parquet"},
	{"ORC", "it is an ORC file; convert it to Parquet"},
	{"\x80\x02", "it is a pickle, which only Python can read; " + array},
	{"\x80\x03", "it is a pickle, which only Python can read; " + array},
	{"\x80\x04\x95", "it is a pickle, which only Python can read; " + array},
	{"\x80\x05\x95", "it is a pickle, which only Python can read; " + array},
	{"RDX2\n", "it is a file of R (.RData); write.csv(x, f, row.names = FALSE) or arrow::write_parquet(x, f)"},
	{"RDX3\n", "it is a file of R (.RData); write.csv(x, f, row.names = FALSE) or arrow::write_parquet(x, f)"},
	{"X\n\x00\x00\x00", "it is a file of R (.rds); write.csv(readRDS(g), f, row.names = FALSE) or arrow::write_parquet(readRDS(g), f)"},
	{"$FL2@(#)", "it is an SPSS file; " + frame},
	{"$FL3@(#)", "it is an SPSS file; " + frame},
	{"<stata_dta>", "it is a Stata file; " + frame},
	{"HEADER RECORD*******LIBRARY", "it is a SAS transport file; " + frame},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60", "it is a SAS file; " + frame},
	{"CDF\x01", "it is a NetCDF file; " + array},
	{"CDF\x02", "it is a NetCDF file; " + array},
	{"\xfd7zXZ\x00", "it is compressed with xz; decompress it first"},
	{"7z\xbc\xaf\x27\x1c", "it is a 7z archive; unpack it first"},
	{"\x04\x22\x4d\x18", "it is compressed with lz4; decompress it first"},
	{"@relation ", arff},
	{"%PDF-", "it is a PDF document, not data"},
	{"version https://git-lfs.github.com/spec/", "it is a pointer of Git LFS and not the data itself; fetch that with: git lfs pull"},
	{"<!DOCTYPE html", "it is a web page and not data; was the page of a download saved instead of the file?"},
	{"<html", "it is a web page and not data; was the page of a download saved instead of the file?"},
	{"<?xml", "it is an XML document; save what it holds as CSV"},
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
	if len(head) > 12 && head[8:12] == "DUCK" && !text {
		return "it is a DuckDB database; write the table as Parquet: COPY t TO 'rows.parquet'"
	}
	return ""
}
