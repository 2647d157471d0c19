package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

var (
	startedScripts atomic.Int64
	printedKeys    sync.Map // keys of reports that scripts have printed
)

var docWord = regexp.MustCompile(`\w+`)

// checkDocs fails unless all keys of a report are documented: top-level keys by themselves, nested ones by name in the
// documentation of their parent. The header of a model is exempt.
func checkDocs(words []string, out []byte) error {
	if at := slices.Index(words, "--format"); at < 0 || at+1 == len(words) || words[at+1] != "json" || slices.Contains(words, "-") {
		return nil
	}
	docs := report.Docs()
	for lines := json.NewDecoder(bytes.NewReader(out)); lines.More(); {
		var object map[string]any
		if lines.Decode(&object) != nil {
			return nil // no report
		}
		for key, value := range object {
			printedKeys.Store(key, true)
			if docs[key] == nil && object["format"] == "nystream model" {
				continue
			}
			explained := docWord.FindAllString(strings.Join(docs[key], " "), -1)
			if docs[key] == nil {
				return fmt.Errorf("key %s of the report has no doc", key)
			}
			for _, inner := range keysOf(value) {
				if !slices.Contains(explained, inner) {
					return fmt.Errorf("key %s.%s of the report is not in the docs of %[1]s", key, inner)
				}
			}
		}
	}
	return nil
}

// keysOf returns the keys of all objects in a value.
func keysOf(v any) (keys []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			keys = append(append(keys, key), keysOf(inner)...)
		}
	case []any:
		for _, inner := range v {
			keys = append(keys, keysOf(inner)...)
		}
	}
	return keys
}

// checkEveryDoc fails, after all scripts, if a documented key occurred in no report.
func checkEveryDoc(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || t.Failed() || int(startedScripts.Load()) < len(files) {
		return // only some scripts have run
	}
	for key := range report.Docs() {
		if _, ok := printedKeys.Load(key); !ok {
			t.Errorf("no script prints %s", key)
		}
	}
}
