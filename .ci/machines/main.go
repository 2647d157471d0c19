// Command machines checks the types of all packages and tests for other machines, from
// source: no library is compiled anew. Words after a comma are build tags.
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
	for _, machine := range os.Args[1:] {
		place, tags, _ := strings.Cut(machine, ",")
		system, processor, _ := strings.Cut(place, "/")
		all, err := packages.Load(&packages.Config{
			Mode:       packages.LoadAllSyntax,
			Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
			BuildFlags: []string{"-tags=" + tags},
			Tests:      true,
		}, "./...")
		if err == nil && packages.PrintErrors(all) > 0 {
			err = fmt.Errorf("see above")
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", machine, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages\n", machine, len(all))
	}
}
