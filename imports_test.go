package nystream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/nystream/nystream/"

// root stands for the package of the module's root.
const root = "."

// command begins the paths of the packages of the command.
const command = "cmd/nystream/internal/"

// libraries are what packages of the command may import of the library.
var libraries = []string{"internal/matrix", "internal/passcount", "internal/quote", "solvers", "sketch", "stream", "kernelgen", "blockstore"}

// allowed says which packages of ours a package may import: the design's
// drawing of who may import whom. A name stands for the package and all below,
// but for those with an entry of their own.
var allowed = map[string][]string{
	root:                     {"stream", "kernelgen", "solvers/input", "solvers/model"},
	"internal/matrix":        {},
	"internal/simd":          {"internal/matrix"},
	"internal/quote":         {},
	"internal/words":         {},
	"internal/rounding":      {},
	"internal/moments":       {},
	"internal/nasty":         {"internal/matrix"},
	"internal/conformance":   {"internal/matrix", "stream"},
	"internal/linalg":        {"internal/linalg", "internal/matrix", "internal/simd"},
	"internal/linalg/krylov": {"internal/linalg", "internal/matrix", "sketch"},
	"kernelgen":              {"internal/matrix", "internal/rounding", "internal/simd"},
	"kernelgen/tiles":        {"kernelgen", "internal/matrix", "internal/simd", "stream"},
	// What opens a source is below stream, which says it, and its counter above: only stream sees passes.
	"internal/opening":   {},
	"internal/passcount": {"internal/opening", "stream"},
	"sketch":             {"internal/matrix", "internal/simd", "internal/linalg/householder"},
	"stream":             {"internal/matrix", "internal/opening", "internal/quote", "internal/simd", "internal/words", "stream/logical", "stream/tilesize"},
	"stream/logical":     {},
	// The sizes of blocks of exact passes are below stream, which cuts them.
	"stream/tilesize":              {},
	"stream/prepare":               {"internal/matrix", "internal/moments", "internal/opening", "internal/quote", "internal/rounding", "internal/simd", "internal/words", "stream"},
	"stream/sparse":                {"internal/matrix", "stream"},
	"blockstore":                   {"internal/matrix", "internal/quote", "blockstore", "stream"},
	"blockstore/archive":           {"internal/quote", "blockstore/array", "blockstore/internal", "stream"},
	"blockstore/graph":             {"internal/quote", "blockstore/internal", "stream"},
	"blockstore/internal":          {"internal/matrix", "internal/quote", "internal/words", "blockstore/internal", "blockstore/object", "stream"},
	"blockstore/object":            {"blockstore/object", "stream"},
	"internal/storetest":           {},
	"blockstore/internal/filetest": {"internal/matrix", "blockstore/internal", "stream", "internal/conformance"},
	"blockstore/array":             {},
	"solvers":                      {"solvers", "sketch", "stream", "kernelgen", "internal/linalg", "internal/matrix", "internal/words", "blockstore/array"},
	// input is below the contract, family above it: a contract that imports neither would need their halves.
	"solvers/input":          {"internal/matrix", "sketch", "stream"},
	"solvers/model":          {"solvers/input", "sketch", "stream", "kernelgen", "internal/matrix", "internal/words", "blockstore/array"},
	"solvers/family":         {"solvers/input", "solvers/model", "stream", "kernelgen", "internal/matrix"},
	"solvers/modelfile":      {"solvers", "stream", "kernelgen", "blockstore/archive"},
	"solvers/internal/tiles": {"solvers/internal", "sketch", "stream", "kernelgen", "internal/linalg", "internal/matrix", "internal/words"},
	"solvers/internal/basis": {"solvers/internal", "solvers/input", "solvers/model", "sketch", "stream", "kernelgen", "internal/linalg", "internal/matrix", "internal/words"},
	"solvers/metrics":        {"internal/moments"},
	"solvers/nyblas":         {"internal/matrix", "internal/simd"},
	"python":                 {},
	"docs":                   {},
	"cmd": {"internal/matrix", "internal/quote", "cmd", "docs", "python", "solvers", "sketch", "stream", "kernelgen",
		"blockstore"},
	// The packages of the command: verbs and families never meet.
	"cmd/nystream/internal/flags":   {command + "report", "internal/quote", "docs", "python", "stream", "kernelgen", "blockstore"},
	"cmd/nystream/internal/report":  {"internal/matrix", "internal/quote", "solvers", "stream"},
	"cmd/nystream/internal/app":     append([]string{command + "flags", command + "report", command + "garbage"}, libraries...),
	"cmd/nystream/internal/rows":    append([]string{command + "app", command + "flags", command + "report", command + "garbage"}, libraries...),
	"cmd/nystream/internal/chart":   append([]string{command + "rows", command + "report"}, libraries...),
	"cmd/nystream/internal/saved":   append([]string{command + "rows", command + "app", command + "flags", command + "report"}, libraries...),
	"cmd/nystream/internal/fit":     append([]string{command + "chart", command + "saved", command + "rows", command + "app", command + "flags", command + "report"}, libraries...),
	"cmd/nystream/internal/family":  append([]string{command + "fit", command + "chart", command + "saved", command + "rows", command + "app", command + "flags", command + "report"}, libraries...),
	"cmd/nystream/internal/verb":    append([]string{command + "fit", command + "chart", command + "saved", command + "rows", command + "app", command + "flags", command + "report", command + "garbage"}, libraries...),
	"cmd/nystream/internal/garbage": {},
	"bench":                         {"bench/internal", "solvers", "sketch", "stream", "kernelgen", "blockstore", "internal"},
	"bench/internal":                {"bench/internal", "solvers", "sketch", "stream", "kernelgen", "blockstore", "internal/matrix"},
	"bench/papers":                  {"bench/papers", "bench/internal", "solvers", "sketch", "stream", "kernelgen", "blockstore"},
}

// foreign says which modules only one place may import, besides programs of bench and the helpers
// of tests in filetest.
var foreign = map[string]string{
	"github.com/apache/arrow/go/v16":        "blockstore/internal/arrow",
	"github.com/parquet-go/parquet-go":      "blockstore/internal/parquet",
	"github.com/edsrzf/mmap-go":             "blockstore/internal/store",
	"github.com/klauspost/compress":         "blockstore/internal/compression",
	"github.com/andybalholm/brotli":         "blockstore/internal/compression",
	"github.com/pierrec/lz4":                "blockstore/internal/compression",
	"github.com/aws":                        "blockstore/object/s3",
	"github.com/johannesboyne/gofakes3":     "internal/storetest",
	"github.com/spf13/cobra":                "cmd",
	"gonum.org/v1/plot":                     "cmd",
	"github.com/apache/arrow/go/v16/flight": "nowhere",
}

// shown says which modules one more package may import, since its API has their types.
var shown = map[string]string{"github.com/apache/arrow/go/v16/arrow": "blockstore"}

// TestImportDirection holds the packages to the design.
func TestImportDirection(t *testing.T) {
	checkModule(t, ".", `{{join .Imports " "}}`)
}

// TestPapersImportPublicPackages holds bench/papers, a module of its own, to what a
// user of the library can import.
func TestPapersImportPublicPackages(t *testing.T) {
	if _, err := os.Stat(filepath.Join("bench", "papers", "go.mod")); err != nil {
		t.Fatal(err)
	}
	checkModule(t, filepath.Join("bench", "papers"), `{{join .Imports " "}} {{join .TestImports " "}}`)
}

// checkModule checks the imports of all packages of a module; imports is the template
// of go list that prints them.
func checkModule(t *testing.T, dir, imports string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}}:"+imports, "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, imports, _ := strings.Cut(line, ":")
		for _, imp := range strings.Fields(imports) {
			seen++
			checkImport(t, path, imp)
		}
	}
	if seen < 50 {
		t.Errorf("go list gave %d imports: the test looks at nothing", seen)
	}
}

// pathOf returns the path of a package within the module, or false if it is of another.
func pathOf(imp string) (path string, ours bool) {
	if imp+"/" == module {
		return root, true
	}
	return strings.CutPrefix(imp, module)
}

func checkImport(t *testing.T, path, imp string) {
	t.Helper()
	from, _ := pathOf(path)
	if strings.HasPrefix(imp, "github.com/apache/arrow/go/v16/parquet") {
		t.Errorf("%s imports %s: arrow's own parquet package reads some files as no rows (see CONTRIBUTING)", from, imp)
	}
	for prefix, home := range foreign {
		if below(imp, prefix) && !below(from, home) && shown[imp] != from && !below(from, "bench") && !below(from, "blockstore/internal/filetest") {
			t.Errorf("%s imports %s, which belongs to %s", from, imp, home)
		}
	}
	to, ours := pathOf(imp)
	if !ours {
		return
	}
	place := placeOf(from)
	if place == "" {
		t.Errorf("%s is in no place that the design knows", from)
		return
	}
	for _, m := range allowed[place] {
		if below(to, m) {
			return
		}
	}
	t.Errorf("%s imports %s, which the design does not allow", from, to)
}

// placeOf returns the longest entry of allowed that the package is below, or empty.
func placeOf(path string) (place string) {
	for pkg := range allowed {
		if below(path, pkg) && len(pkg) > len(place) {
			place = pkg
		}
	}
	return place
}

// below reports whether path is the folder, or in it.
func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
