package app

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
	"github.com/nystream/nystream/blockstore/object/web"
)

// NewStores returns the stores of URLs. stall is the time limit of a stalled request. Requests that write end with ctx.
func NewStores(ctx context.Context, stall time.Duration) *object.Stores {
	server := web.New()
	return &object.Stores{Context: ctx, Patience: object.Patience{Stall: stall},
		ByScheme: map[string]object.Store{"s3": s3.New(), "http": server, "https": server}}
}

// PlainWords returns arguments with credentials removed from web addresses, so that none is printed or stored, and with
// file URLs replaced by their paths.
func PlainWords(args []string) []string {
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
