// Command readme compares the numbers in README.md and docs with recorded output of commands.
//
//	go run ./bench/readme                       compares the pages with the records
//	go run ./bench/readme -run worked.txt       runs the commands of a record and compares
//	go run ./bench/readme -record worked.txt    runs them, updates the record and the pages
//
// A record is a text file in this folder: date and machine, then commands with their
// output.
//
//	# 2026-11-22, 2 processors, linux/amd64
//	$ nystream demo
//	200,000 rows along a knot, …
//
// A comment in a page names the record of the code, table or paragraph after it:
//
//	<!-- bench/readme/demo.txt -->             every line is a line of the record
//	<!-- figures of bench/readme/demo.txt -->  every number is a number of the record
//
// A decimal fraction, time, size or share outside code and such blocks is an error.
//
// To add a number: write a record with commands alone, fill it by -record, and put the comment before the text.
// Commands run in a folder with links to the files of NYSTREAM_DATA; those that start with "go" or "bash" run in the
// repository. REPOSITORY is its path. -run does not compare times and memory.
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

// options are the records to run or to update.
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

// folder is the folder of the records in the repository.
const folder = "bench/readme"

func run(ctx context.Context, o *options) error {
	root, err := program.Root(ctx)
	if err != nil {
		return err
	}
	for _, name := range o.record {
		if err := updateRecord(ctx, root, filepath.Base(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range o.run {
		if err := compareRun(ctx, root, filepath.Base(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	blocks, err := check(root)
	if err == nil {
		fmt.Printf("%d blocks are as recorded\n", blocks)
	}
	return err
}

// updateRecord updates a record, and the lines of the pages that come from it.
func updateRecord(ctx context.Context, root, name string) error {
	path := filepath.Join(root, folder, name)
	old, now, err := rerun(ctx, root, path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(now.text()), 0o666); err != nil {
		return err
	}
	pages, err := documents(root)
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if err := os.WriteFile(page, []byte(updateLines(string(text), name, old, now)), 0o666); err != nil {
			return err
		}
	}
	return nil
}
