// Command machines checks the types of all packages and their tests for other machines,
// from source: what would not compile there is found without compiling every library anew.
// Words after a comma are build tags.
//
//	go run ./.ci/machines darwin/arm64 linux/amd64,noasm
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, machine := range os.Args[1:] {
		n, err := check(machine)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", machine, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", machine, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check returns how many packages the machine has, those of tests among them, and prints
// what is wrong with them.
func check(machine string) (int, error) {
	place, tags, _ := strings.Cut(machine, ",")
	system, processor, _ := strings.Cut(place, "/")
	all, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax,
		Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=" + tags},
		Tests:      true,
	}, "./...")
	if err != nil {
		return 0, err
	}
	if n := packages.PrintErrors(all); n > 0 {
		return 0, fmt.Errorf("%d errors", n)
	}
	return len(all), nil
}
