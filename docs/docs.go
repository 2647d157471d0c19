// Package docs holds the pages that `nystream help` prints as topics.
package docs

import "embed"

// Topics has the Markdown of these pages.
//
//go:embed distributed.md formats.md glossary.md methods.md model-format.md
var Topics embed.FS
