package kernelgen

import (
	"os"
	"strings"
	"testing"
)

// TestPackageCommentListsTheKernels: the table in the package comment lists every built-in kernel with its parameters,
// defaults and definiteness.
func TestPackageCommentListsTheKernels(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range Builtins() {
		line := ""
		for l := range strings.Lines(string(text)) {
			if strings.HasPrefix(l, "//\t"+b.Usage+" ") {
				line = l
			}
		}
		if line == "" {
			t.Errorf("doc.go has no line for %s", b.Usage)
		} else if got := strings.Contains(line, "psd"); got != b.PositiveSemiDefinite {
			t.Errorf("doc.go says psd = %v of %s", got, b.Name)
		}
	}
}
