package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
	"github.com/nystream/nystream/blockstore/object/web"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// newStores returns the stores of URLs. Requests may stall so long, and those that write end with
// ctx.
func newStores(ctx context.Context, stall time.Duration) *object.Stores {
	server := web.New()
	return &object.Stores{Context: ctx, Patience: object.Patience{Stall: stall},
		ByScheme: map[string]object.Store{"s3": s3.New(), "http": server, "https": server}}
}

// openSession starts the session of a command line, whose flags are set.
func (a *app) openSession(cmd *cobra.Command) {
	a.session = &blockstore.Session{Stores: newStores(cmd.Context(), a.stall)}
	if dir := cmd.Flag("spool-dir"); dir != nil {
		a.session.SpoolDir = dir.Value.String()
		a.session.Quota = blockstore.HalfFree(a.session.SpoolDir)
	}
	if size := cmd.Flag("max-spool-size"); size != nil && size.Changed {
		a.session.Quota = blockstore.NewQuota(int64(*flags.Of(size).Value.(*flags.Size)))
	}
}

// plainWords returns arguments in which web addresses have no credentials any more, so
// that none is printed or kept, and URLs of files are their paths.
func plainWords(args []string) []string {
	words := slices.Clone(args)
	for i, word := range words {
		flag, value, found := strings.Cut(word, "=")
		if !found || !strings.HasPrefix(word, "-") {
			flag, value = "", word
		} else {
			flag += "="
		}
		if u, err := url.Parse(value); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && u.Path != "" {
			value = u.Path
		}
		words[i] = flag + object.Hide(value)
	}
	return words
}

// checkRemoteOutput refuses, before any work, an object that cannot be written, or is one
// of the inputs.
func checkRemoteOutput(a *app, flag, path string, inputs []string) error {
	for _, in := range inputs {
		match, _ := doublestar.Match(in, path)
		if in == path || match || strings.HasPrefix(path, strings.TrimSuffix(in, "/")+"/") {
			return flags.Usagef("%s %s: this object is also read, by %s; give the output another name", flag, path, in)
		}
	}
	if err := a.session.CanWrite(path); err != nil {
		return flags.Usagef("%s %v", flag, err)
	}
	return nil
}
