package lake

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
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
	for folder, kind := range map[string]string{"d": "Delta", "d/k=1": "Delta", "i": "Iceberg", "i/data/k=2": "Iceberg", "h": "Hudi", "plain": "", "plain/data/k=1": ""} {
		switch err := Check(filepath.Join(dir, filepath.FromSlash(folder))); {
		case kind == "" && err != nil || kind != "" && err == nil:
			t.Errorf("%s: %v", folder, err)
		case kind != "" && !strings.Contains(err.Error(), "table of "+kind):
			t.Errorf("%s: %v", folder, err)
		}
	}
}

func TestOf(t *testing.T) {
	for name, want := range map[string]string{"s3://b/t/_delta_log/00.json": "Delta s3://b/t", "s3://b/a/t/metadata/v1.metadata.json": "Iceberg s3://b/a/t",
		"s3://b/t/metadata/a.parquet": " ", "s3://b/t/k=1/a.parquet": " ", "a.csv": " "} {
		kind, folder := Of(name)
		if got := kind + " " + folder; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
