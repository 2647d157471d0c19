package file

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Delta Lake, Apache Iceberg and Apache Hudi keep a log of the current files of a table, and leave
// removed or replaced files in the folder. Folders of such tables are rejected.

// tableKinds maps the name of the log folder to the kind of table.
var tableKinds = map[string]string{"_delta_log": "Delta", "metadata": "Iceberg", ".hoodie": "Hudi"}

// tableRemedies describes how to export the current rows.
var tableRemedies = map[string]string{
	"Delta":   "write them with DuckDB: COPY (FROM delta_scan('TABLE')) TO 'rows.parquet'",
	"Iceberg": "write them with DuckDB: COPY (FROM iceberg_scan('TABLE')) TO 'rows.parquet'",
	"Hudi":    "write them with Spark: spark.read.format('hudi').load('TABLE').write.parquet('rows')",
}

// tableOf returns the kind and the folder of the table to whose log a file or object belongs, or
// "".
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

// tableFolder returns the part of name before the log folder. path.Dir shortens s3://bucket to
// s3:/bucket, so the length of dir cannot be used.
func tableFolder(name, dir string) string {
	at := strings.LastIndex(name, "/"+path.Base(dir)+"/")
	if at < 0 {
		return ""
	}
	return name[:at]
}

// tableError reports that a folder is a table of the given kind.
func tableError(kind, folder string) error {
	return fault.File(folder, "it is a table of %s: files that were removed from the table may still lie in the folder, and only its log tells which rows count", kind).
		WithRemedy("%s, or name single files", tableRemedies[kind])
}

// checkTable returns an error if a folder, or one of which it is a partition k=v, is a table.
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
