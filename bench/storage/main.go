// Command storage compares fits of rows in an object store with fits of the same rows in
// files: time, processor time and peak memory of the command, requests and bytes. The
// store is gofakes3 in this process, which answers after a latency that is given. The
// models must be the same, byte by byte.
//
//	go run ./bench/storage -rows 1000000
//	go run ./bench/storage -beam nystream-beam   # in 8 parts on Apache Beam's prism too
//
// The processor time of the server is not counted. With -serve it only serves the folders
// and files that are named, until it is interrupted, and prints what a client must be told.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/internal/storetest"
)

type options struct {
	nystream, beam string
	rows, columns  int
	latency        time.Duration
	formats        []string
	repeats        int
	serve          bool
	files          []string
}

func main() { program.Main("storage", parse, run) }

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("storage", flag.ContinueOnError)
	f.StringVar(&o.nystream, "nystream", "", "the command nystream; built if none is named")
	f.StringVar(&o.beam, "beam", "", "the command nystream-beam, for fits in 8 parts")
	f.IntVar(&o.rows, "rows", 1_000_000, "rows")
	f.IntVar(&o.columns, "columns", 20, "columns")
	f.DurationVar(&o.latency, "latency", 20*time.Millisecond, "of each request")
	formats := f.String("formats", "parquet,csv", "formats, by their extensions")
	f.IntVar(&o.repeats, "repeats", 3, "runs of each, of which the one with the least processor time is shown")
	f.BoolVar(&o.serve, "serve", false, "serve the files that are named")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.formats, o.files = strings.Split(*formats, ","), f.Args()
	if len(o.files) > 0 != o.serve {
		return o, errors.New("files are for -serve")
	}
	return o, nil
}

func run(ctx context.Context, o options) error {
	s := storetest.New()
	defer s.Close()
	s.Latency = o.latency
	if o.serve {
		for _, path := range o.files {
			fmt.Println("#", s.PutFile(path))
		}
		fmt.Println("export", strings.Join(s.Environment(), " "))
		<-ctx.Done()
		fmt.Printf("# %d requests, %d bytes\n", s.Requests.Load(), s.Bytes.Load())
		return nil
	}
	dir, err := os.MkdirTemp("", "storage-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{o, s, dir}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%d rows of %d columns, landmark fits of rank 20, %v a request\n\n", o.rows, o.columns, o.latency)
	fmt.Println("| format | from | seconds | CPU s | peak MB | requests | MB fetched |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, format := range o.formats {
		if err := b.compare(ctx, format); err != nil {
			return err
		}
	}
	return nil
}

// bench is the comparison.
type bench struct {
	options
	server *storetest.Server
	dir    string
}

// prepare builds the command and writes the rows.
func (b *bench) prepare(ctx context.Context) error {
	if b.nystream == "" {
		b.nystream = filepath.Join(b.dir, "nystream")
		if _, err := b.command(ctx, "go", "build", "-o", b.nystream, "./cmd/nystream"); err != nil {
			return err
		}
	}
	npy := filepath.Join(b.dir, "rows.npy")
	_, err := b.command(ctx, "go", "run", "./bench/generate", "uniform", "-rows", strconv.Itoa(b.rows), "-d", strconv.Itoa(b.columns), "-o", npy)
	return err
}

// measure is what a run took.
type measure struct {
	seconds, cpu, peak float64 // of the command, peak in MB
	requests, bytes    int64
}

// command runs a command and measures it.
func (b *bench) command(ctx context.Context, args ...string) (m measure, err error) {
	requests, fetched, began := b.server.Requests.Load(), b.server.Bytes.Load(), time.Now()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(append(os.Environ(), b.server.Environment()...), "NYSTREAM_PROVENANCE=false") // local rows and objects make the same bytes
	var report, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &complaint
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, complaint.String())
	}
	m = measure{time.Since(began).Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), 0,
		b.server.Requests.Load() - requests, b.server.Bytes.Load() - fetched}
	var told struct {
		Peak float64 `json:"peak_rss_bytes"`
	}
	if json.Unmarshal(report.Bytes(), &told) == nil {
		m.peak = told.Peak / 1e6
	}
	return m, nil
}

// compare fits the rows in a format from both places.
func (b *bench) compare(ctx context.Context, format string) error {
	path := filepath.Join(b.dir, "rows."+format)
	if _, err := b.command(ctx, b.nystream, "convert", filepath.Join(b.dir, "rows.npy"), path); err != nil {
		return err
	}
	url := b.server.PutFile(path)
	ways := [][2]string{{"file", path}, {"s3", url}}
	if b.beam != "" {
		ways = append(ways, [2]string{"file, Beam", path}, [2]string{"s3, Beam", url})
	}
	var first []byte
	for _, way := range ways {
		model := filepath.Join(b.dir, "model.npz")
		fit := []string{b.nystream, "fit", "landmark", way[1], "--kernel=rbf(gamma=0.1)", "--rank=20", "--seed=1", "--format=json", "-o", model}
		if strings.HasSuffix(way[0], "Beam") {
			fit = append([]string{b.beam, "fit", "--nystream", b.nystream, "--shards", "8"}, fit[2:]...)
		}
		best := measure{}
		for range b.repeats {
			m, err := b.command(ctx, fit...)
			if err != nil {
				return err
			}
			if best.seconds == 0 || m.cpu < best.cpu {
				best = m
			}
		}
		content, err := os.ReadFile(model)
		if err != nil {
			return err
		}
		if first == nil {
			first = content
		} else if !bytes.Equal(first, content) {
			return fmt.Errorf("%s from %s: another model", format, way[0])
		}
		fmt.Printf("| %s | %s | %.2f | %.2f | %.0f | %d | %.1f |\n", format, way[0], best.seconds, best.cpu, best.peak, best.requests, float64(best.bytes)/1e6)
	}
	return nil
}
