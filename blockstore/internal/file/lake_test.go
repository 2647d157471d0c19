package file

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckTable(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"d/_delta_log/0.json", "d/k=1/a.parquet", "i/metadata/v1.metadata.json", "i/data/k=2/a.parquet", "h/.hoodie/hoodie.properties",
		"plain/metadata/notes.txt", "plain/data/k=1/a.parquet"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	delta, iceberg, hudi := tableError("Delta", filepath.Join(dir, "d")), tableError("Iceberg", filepath.Join(dir, "i")), tableError("Hudi", filepath.Join(dir, "h"))
	for folder, want := range map[string]error{"d": delta, "d/k=1": delta, "i": iceberg, "i/data/k=2": iceberg, "h": hudi, "plain": nil, "plain/data/k=1": nil} {
		if err := checkTable(filepath.Join(dir, filepath.FromSlash(folder))); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", folder, err, want)
		}
	}
}

func TestTableOf(t *testing.T) {
	for name, want := range map[string]string{"s3://b/t/_delta_log/00.json": "Delta s3://b/t", "s3://b/a/t/metadata/v1.metadata.json": "Iceberg s3://b/a/t",
		"s3://b/t/metadata/a.parquet": " ", "s3://b/t/k=1/a.parquet": " ", "a.csv": " "} {
		kind, folder := tableOf(name)
		if got := kind + " " + folder; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
