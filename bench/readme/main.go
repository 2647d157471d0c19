// Command readme checks that the figures of README.md are those that commands print.
//
//	go run ./bench/readme                       compares README.md with what is recorded
//	go run ./bench/readme -run worked.txt       runs the commands of a record again, and compares
//	go run ./bench/readme -record worked.txt    runs them, and writes the record and its lines in README.md anew
//
// A record is a text file in this folder: where and when it was made, and commands with
// what they printed.
//
//	# 2026-11-22, 2 processors, linux/amd64
//	$ nystream demo
//	a knot in 20 dimensions, …
//
// A comment in README.md names the record of the code, table or paragraph after it:
//
//	<!-- bench/readme/demo.txt -->             every line is a line of the record
//	<!-- figures of bench/readme/demo.txt -->  every number is a number of the record
//
// To add a figure: write a record that has the commands alone, fill it with -record, and
// put the comment before the text. Commands are run in a folder with links to the files
// of NYSTREAM_DATA, but for those that begin with "go", which are run in the
// repository. What is compared after -run leaves out times and memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nystream/nystream/bench/internal/program"
)

func main() { program.Main("readme", parseOptions, run) }

// options are files of records.
type options struct{ run, record []string }

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("readme", flag.ContinueOnError)
	again := f.String("run", "", "records whose commands are run again and compared")
	record := f.String("record", "", "records that are written anew")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.run, o.record = program.List(*again), program.List(*record)
	return o, nil
}

// folder is where the records are, in the repository.
const folder = "bench/readme"

func run(ctx context.Context, o *options) error {
	root, err := repository()
	if err != nil {
		return err
	}
	for _, name := range o.record {
		if err := anew(ctx, root, filepath.Base(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range o.run {
		if err := again(ctx, root, filepath.Base(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	blocks, err := check(root)
	if err == nil {
		fmt.Printf("README.md: %d blocks are as recorded\n", blocks)
	}
	return err
}

// anew makes a record again, and README.md follows where it has its lines.
func anew(ctx context.Context, root, name string) error {
	path, readme := filepath.Join(root, folder, name), filepath.Join(root, "README.md")
	old, now, err := rerun(ctx, root, path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(now.text()), 0o666); err != nil {
		return err
	}
	return os.WriteFile(readme, []byte(follow(string(text), name, old, now)), 0o666)
}

// repository returns the folder of the repository that the program is run in.
func repository() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod here or above: run it in the repository")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
