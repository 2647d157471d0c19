package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/internal/storetest"
)

const (
	storageLatency = 20 * time.Millisecond // of each request
	storageRepeats = 3                     // runs of each fit
)

// storage fits rows of files and of an object store, in one process and, where Apache Beam is
// installed, in eight parts. The models must have the same bytes. The store is gofakes3 in this process.
func storage(ctx context.Context, l *lab) {
	server := storetest.New()
	defer server.Close()
	server.Latency = storageLatency
	one := l.fields("fit landmark X --kernel=rbf(gamma=0.1) --rank=20 --seed=1 -o model.npz", "X").args
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

// store runs a fit several times, and returns the time, the requests and the bytes of the last run.
func (l *lab) store(ctx context.Context, server *storetest.Server, args []string) (takes string) {
	env := append(server.Environment(), "NYSTREAM_PROVENANCE=false") // the names of the rows differ
	for range storageRepeats {
		requests, bytes := server.Requests.Load(), server.Bytes.Load()
		e := l.succeed(ctx, process{args: args, env: env})
		takes = fmt.Sprintf("%.2f s, %d requests, %.1f MB fetched", e.took.Seconds(), server.Requests.Load()-requests,
			float64(server.Bytes.Load()-bytes)/1e6)
	}
	return takes
}
