package solvers_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws fewer cases than is usual: each of them is several fits. The flag
// -rapid.checks draws more.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		flag.Set("rapid.checks", "25") // it is there, since rapid is linked
	}
	os.Exit(m.Run())
}
