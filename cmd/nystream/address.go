package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
	"github.com/nystream/nystream/blockstore/object/web"
)

// registerStores makes URLs readable, by requests that may stall so long. What is written ends
// with ctx.
func registerStores(ctx context.Context, stall time.Duration) {
	patience := object.Patience{Stall: stall}
	object.Register(ctx, "s3", s3.New(), patience)
	server := web.New()
	object.Register(ctx, "http", server, patience)
	object.Register(ctx, "https", server, patience)
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
func checkRemoteOutput(flag, path string, inputs []string) error {
	for _, in := range inputs {
		match, _ := doublestar.Match(in, path)
		if in == path || match || strings.HasPrefix(path, strings.TrimSuffix(in, "/")+"/") {
			return usagef("%s %s: this object is also read, by %s; give the output another name", flag, path, in)
		}
	}
	if err := blockstore.CanWrite(object.Context(), path); err != nil {
		return usagef("%s %v", flag, err)
	}
	return nil
}
