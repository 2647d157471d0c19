package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream/prepare"
)

// FileFormat is a format with its number of files.
type FileFormat struct {
	Format    string `json:"format"`
	Delimiter string `json:"delimiter,omitempty"`
	Files     int    `json:"files"`
}

// FormatsOf returns the distinct formats of files.
func FormatsOf(files *blockstore.Files) (list []FileFormat) {
	for _, f := range files.Formats() {
		k := slices.IndexFunc(list, func(o FileFormat) bool { return o.Format == f.Format && o.Delimiter == f.Delimiter })
		if k < 0 {
			k, list = len(list), append(list, FileFormat{Format: f.Format, Delimiter: f.Delimiter})
		}
		list[k].Files++
	}
	return list
}

// KnownNames returns the names of the prepared columns, nil if the columns of in have none.
func KnownNames(in *Input, p prepare.Preparation) []string {
	if p.Columns != nil {
		return p.Columns
	}
	if info := in.Info(); !info.Nameless {
		return info.Columns
	}
	return nil
}

// LeftOutColumn is a column that is neither excluded by the user nor a feature.
type LeftOutColumn = blockstore.LeftOutColumn

// LeftOutWords lists columns with the reasons.
func LeftOutWords(list []LeftOutColumn) string {
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s (%s)", quote.Bare(c.Name), c.Reason))
	}
	return wordList(words)
}

// NullEverywhere is the reason for omitting an empty numeric column.
const NullEverywhere = "null in every row"

// ShortList joins the first few names.
func ShortList(names []string) string {
	words := make([]string, min(len(names), maxListWords))
	for i := range words {
		words[i] = quote.Bare(names[i])
	}
	return wordList(append(words, names[len(words):]...))
}

// maxListWords is the largest number of words of a list in a note.
const maxListWords = 10

// wordList joins the first few words.
func wordList(words []string) string {
	if more := len(words) - maxListWords; more > 0 {
		return strings.Join(words[:maxListWords], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(words, ", ")
}
