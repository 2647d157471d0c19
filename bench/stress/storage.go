package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/internal/storetest"
)

const (
	storageLatency = 20 * time.Millisecond // of each request
	storageRepeats = 3                     // runs of each fit; the note has that of least processor time
)

// storage fits rows of files and of an object store, in one process and, where Apache Beam is
// installed, in eight parts. The models must have the same bytes. The store is gofakes3 in this
// process, whose processor time is not counted.
func storage(ctx context.Context, l *lab) {
	server := storetest.New()
	defer server.Close()
	server.Latency = storageLatency
	one := l.fields("fit landmark X --kernel=rbf(gamma=0.1) --rank=20 --seed=1 --format=json -o model.npz", "X").args
	ways := map[string][]string{"1 process": one}
	if !l.lacks(ctx, "beam") {
		beam, err := program.Build(ctx, l.work, filepath.Join(l.root, "cmd", "nystream-beam"))
		check(err)
		ways["8 parts by Beam"] = append([]string{beam, "fit", "--nystream", l.command, "--shards", "8"}, one[2:]...)
	}
	for _, format := range []string{"parquet", "csv"} {
		path := l.data(ctx, uniform(l.rows, 20, 1, format))
		var want map[string][]byte
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			for i, x := range []string{path, server.PutFile(path)} {
				name := strings.Join([]string{format, []string{"file", "s3"}[i], way}, " ")
				l.try(ctx, name, func() string {
					args := slices.Clone(ways[way])
					args[slices.Index(args, "X")] = x
					l.note("%s: %s", name, l.store(ctx, server, args))
					if want == nil {
						want = read(l.work, "model.npz")
					}
					if differing(l.work, want) != "" {
						failf("the model differs from that of one process and a file")
					}
					return "the same model"
				})
			}
		}
	}
}

// store runs a fit some times, and returns the least that it takes.
func (l *lab) store(ctx context.Context, server *storetest.Server, args []string) (takes string) {
	env := append(server.Environment(), "NYSTREAM_PROVENANCE=false") // the names of the rows differ
	least := time.Duration(math.MaxInt64)
	for range storageRepeats {
		requests, bytes := server.Requests.Load(), server.Bytes.Load()
		e := l.succeed(ctx, process{args: args, env: env})
		var report struct { // its peak is not that of this process, which holds the objects
			Peak float64 `json:"peak_rss_bytes"`
		}
		check(json.Unmarshal(e.out, &report))
		if e.cpu < least {
			least = e.cpu
			requests, bytes = server.Requests.Load()-requests, server.Bytes.Load()-bytes
			takes = fmt.Sprintf("%.2f s, %.2f CPU s, at most %.0f MB, %d requests, %.1f MB fetched",
				e.took.Seconds(), e.cpu.Seconds(), report.Peak/1e6, requests, float64(bytes)/1e6)
		}
	}
	return takes
}
