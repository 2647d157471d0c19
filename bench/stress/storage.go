package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nystream/nystream/internal/storetest"
)

// storageLatency is that of each request.
const storageLatency = 20 * time.Millisecond

// storageRepeats is how often each fit runs; the note has the run of least processor time.
const storageRepeats = 3

// storage fits rows of files and of an object store, in one process and in eight parts: by
// xargs, and by Apache Beam where it is installed. The models must have the same bytes. The
// store is gofakes3 in this process, whose processor time is not counted.
func storage(ctx context.Context, l *lab) error {
	server := storetest.New()
	defer server.Close()
	server.Latency = storageLatency
	rows := func(x string) []string {
		return []string{"fit", "landmark", x, "--kernel=rbf(gamma=0.1)", "--rank=20", "--seed=1", "--format=json", "-o", "model.npz"}
	}
	parted := []string{"--states=states", "--shards=8"}
	ways := map[string]func(x string) process{
		"one process": func(x string) process { return l.nystream(rows(x)...) },
		"8 by xargs": func(x string) process {
			return l.nystream(append(rows(x), append(parted, "--runner=xargs -I{}")...)...)
		},
	}
	names := []string{"one process", "8 by xargs"}
	if why := beamAbsent(); why != "" {
		l.note("beam is not run: %s", why)
	} else {
		beam, err := buildBeam(ctx, l.work)
		if err != nil {
			return err
		}
		names = append(names, "8 by Beam")
		ways["8 by Beam"] = func(x string) process {
			return process{args: append([]string{beam, "fit", "--nystream", l.command, "--shards", "8"}, rows(x)[1:]...)}
		}
	}
	for _, format := range []string{"parquet", "csv"} {
		path, err := l.data(ctx, uniform(l.rows, 20, 1, format))
		if err != nil {
			return err
		}
		url := server.PutFile(path)
		var want map[string][]byte
		for _, way := range names {
			for from, x := range map[string]string{"file": path, "s3": url} {
				name := strings.Join([]string{format, from, way}, ", ")
				if want != nil && !l.wanted(name) {
					continue // the first is what the others are compared with
				}
				p := ways[way](x)
				p.env = append(server.Environment(), "NYSTREAM_PROVENANCE=false") // the names of the rows differ
				if err := l.store(ctx, server, p, name); err != nil {
					return err
				}
				if want == nil {
					if want, err = read(l.work, "model.npz"); err != nil {
						return err
					}
				} else if differing(l.work, want) != "" {
					err = fmt.Errorf("the model differs from that of one process and a file")
				}
				l.count(name, "same model", err)
			}
		}
	}
	return nil
}

// store runs a fit some times, and notes the least that it takes.
func (l *lab) store(ctx context.Context, server *storetest.Server, p process, name string) error {
	var best ended
	var requests, bytes int64
	for i := range storageRepeats {
		beforeRequests, beforeBytes := server.Requests.Load(), server.Bytes.Load()
		e, err := l.succeed(ctx, p)
		if err != nil {
			return err
		}
		if i == 0 || e.cpu < best.cpu {
			best, requests, bytes = e, server.Requests.Load()-beforeRequests, server.Bytes.Load()-beforeBytes
		}
	}
	var report struct {
		Peak float64 `json:"peak_rss_bytes"`
	}
	_ = json.Unmarshal(best.out, &report)
	l.note("%s: %.2f s, %.2f CPU s, %.0f MB at most, %d requests, %.1f MB fetched", name, best.took.Seconds(), best.cpu.Seconds(),
		report.Peak/1e6, requests, float64(bytes)/1e6)
	return nil
}
