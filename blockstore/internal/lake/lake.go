// Package lake knows tables that are more than the files in their folder: Delta Lake, Apache
// Iceberg and Apache Hudi write a log of which files count, and leave those that were removed
// or replaced beside them.
package lake

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// kinds are the tables, by the folder of their log.
var kinds = map[string]string{"_delta_log": "Delta", "metadata": "Iceberg", ".hoodie": "Hudi"}

// remedies say how to read the rows that count.
var remedies = map[string]string{
	"Delta":   "write them with DuckDB: COPY (FROM delta_scan('TABLE')) TO 'rows.parquet'",
	"Iceberg": "write them with DuckDB: COPY (FROM iceberg_scan('TABLE')) TO 'rows.parquet'",
	"Hudi":    "write them with Spark: spark.read.format('hudi').load('TABLE').write.parquet('rows')",
}

// Of returns the kind of the table whose log a file or an object is part of, and the folder of
// the table; "" for all others.
func Of(name string) (kind, folder string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if kind = kinds[path.Base(dir)]; kind == "Iceberg" && !strings.HasSuffix(name, ".metadata.json") {
			kind = ""
		}
		if kind != "" {
			return kind, folderOf(name, dir)
		}
		if !strings.Contains(dir, "/") {
			return "", ""
		}
	}
}

// folderOf returns the part of name before the folder of the log. path.Dir makes s3:/bucket
// of s3://bucket, so that its length does not tell.
func folderOf(name, dir string) string {
	at := strings.LastIndex(name, "/"+path.Base(dir)+"/")
	if at < 0 {
		return ""
	}
	return name[:at]
}

// Refusal returns the error that a folder is a table of that kind.
func Refusal(kind, folder string) error {
	return fault.File(folder, "it is a table of %s: files that were removed from the table may still lie in the folder, and only its log tells which rows count", kind).
		Do("%s, or name single files", remedies[kind])
}

// Check returns an error if a folder, or one that it is a partition k=v of, is a table.
func Check(folder string) error {
	for {
		for log, kind := range kinds {
			inside := filepath.Join(folder, log)
			if info, err := os.Stat(inside); err != nil || !info.IsDir() {
				continue
			}
			if kind == "Iceberg" {
				if found, err := filepath.Glob(filepath.Join(inside, "*.metadata.json")); err != nil || len(found) == 0 {
					continue
				}
			}
			return Refusal(kind, folder)
		}
		if base := filepath.Base(folder); !strings.Contains(base, "=") && base != "data" {
			return nil
		}
		folder = filepath.Dir(folder)
	}
}
