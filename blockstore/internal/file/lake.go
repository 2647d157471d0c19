package file

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Delta Lake, Apache Iceberg and Apache Hudi write a log of the files that count, and leave files
// that were removed or replaced beside them. Folders of such tables are refused.

// tableKinds are the kinds of tables, by the folder of their log.
var tableKinds = map[string]string{"_delta_log": "Delta", "metadata": "Iceberg", ".hoodie": "Hudi"}

// tableRemedies say how to read the rows that count.
var tableRemedies = map[string]string{
	"Delta":   "write them with DuckDB: COPY (FROM delta_scan('TABLE')) TO 'rows.parquet'",
	"Iceberg": "write them with DuckDB: COPY (FROM iceberg_scan('TABLE')) TO 'rows.parquet'",
	"Hudi":    "write them with Spark: spark.read.format('hudi').load('TABLE').write.parquet('rows')",
}

// tableOf returns the kind of the table whose log a file or an object is part of, and the folder of
// the table; "" for all others.
func tableOf(name string) (kind, folder string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if kind = tableKinds[path.Base(dir)]; kind == "Iceberg" && !strings.HasSuffix(name, ".metadata.json") {
			kind = ""
		}
		if kind != "" {
			return kind, tableFolder(name, dir)
		}
		if !strings.Contains(dir, "/") {
			return "", ""
		}
	}
}

// tableFolder returns the part of name before the folder of the log. path.Dir makes s3:/bucket
// of s3://bucket, so that its length does not tell.
func tableFolder(name, dir string) string {
	at := strings.LastIndex(name, "/"+path.Base(dir)+"/")
	if at < 0 {
		return ""
	}
	return name[:at]
}

// tableError returns the error that a folder is a table of that kind.
func tableError(kind, folder string) error {
	return fault.File(folder, "it is a table of %s: files that were removed from the table may still lie in the folder, and only its log tells which rows count", kind).
		Do("%s, or name single files", tableRemedies[kind])
}

// checkTable returns an error if a folder, or one that it is a partition k=v of, is a table.
func checkTable(folder string) error {
	for {
		for log, kind := range tableKinds {
			inside := filepath.Join(folder, log)
			if info, err := os.Stat(inside); err != nil || !info.IsDir() {
				continue
			}
			if kind == "Iceberg" {
				if found, err := filepath.Glob(filepath.Join(inside, "*.metadata.json")); err != nil || len(found) == 0 {
					continue
				}
			}
			return tableError(kind, folder)
		}
		if base := filepath.Base(folder); !strings.Contains(base, "=") && base != "data" {
			return nil
		}
		folder = filepath.Dir(folder)
	}
}
