package prepare

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/stream"
)

// Encoding says how the words of a category become numbers. Nulls, empty words and words that the
// fit has not seen are no levels.
type Encoding uint8

const (
	// EncodeNone leaves columns of words to be carried along.
	EncodeNone Encoding = iota
	// EncodeOneHot makes a column of each level, 1 where a row has it and else 0: no level is all 0.
	EncodeOneHot
	// EncodeOrdinal numbers the levels from 0, in byte order: no level is -1.
	EncodeOrdinal
)

var encodingWords = []string{"none", "onehot", "ordinal"}

// String returns none, onehot or ordinal.
func (e Encoding) String() string { return words.Of(encodingWords, e) }

// ParseEncoding returns the encoding of a word, such as onehot.
func ParseEncoding(word string) (Encoding, error) {
	return words.Parse[Encoding]("encoding", encodingWords, word)
}

// Category is a column of words and its levels in the fit, in byte order.
type Category struct {
	Column string   `json:"column"`
	Levels []string `json:"levels"`
}

// Limits of the levels of a column: their number, and the bytes of all of them.
const (
	MaxLevels     = 1000
	maxLevelBytes = 1 << 20
)

// levelOf returns the level of a word. Bytes that are no UTF-8 are U+FFFD, as in the JSON of a model.
func levelOf(word string) string { return strings.ToValidUTF8(word, "\uFFFD") }

// wordCounts counts the levels of a column.
type wordCounts struct {
	column string
	count  map[string]levelCount
	nulls  levelCount
}

// levelCount counts the rows of a level.
type levelCount struct {
	rows   int64
	weight float64
}

func (n levelCount) plus(o levelCount) levelCount {
	return levelCount{n.rows + o.rows, n.weight + o.weight}
}

// add counts the word of row i of a block, which has a weight.
func (w *wordCounts) add(c *stream.Column, i int, weight float64) {
	one := levelCount{1, weight}
	if c.Null(i) || c.Strings[i] == "" {
		w.nulls = w.nulls.plus(one)
		return
	}
	word := c.Strings[i]
	if !utf8.ValidString(word) {
		word = levelOf(word)
	}
	if n, known := w.count[word]; known {
		w.count[word] = n.plus(one)
	} else {
		w.count[strings.Clone(word)] = one
	}
}

// merge adds the counts of following rows.
func (w *wordCounts) merge(later *wordCounts) {
	w.nulls = w.nulls.plus(later.nulls)
	for word, n := range later.count {
		w.count[word] = w.count[word].plus(n)
	}
}

// check refuses a column with too many levels.
func (w *wordCounts) check() error { return checkLevels([]wordCounts{*w}) }

// checkLevels refuses columns with too many levels. The error names all of them.
func checkLevels(columns []wordCounts) error {
	var what, leave []string
	for k := range columns {
		w := &columns[k]
		if excess := w.excess(); excess != "" {
			what = append(what, fmt.Sprintf("column %s has %s", quote.Name(w.column), excess))
			leave = append(leave, "!"+quote.Bare(w.column))
		}
	}
	if len(what) == 0 {
		return nil
	}
	it := "it"
	if len(what) > 1 {
		it = "them"
	}
	return fmt.Errorf("%s; leave %s out with `Options.Columns '%s'`",
		strings.Join(what, "; "), it, strings.Join(leave, ","))
}

// excess tells what a column has too much of, "" if nothing.
func (w *wordCounts) excess() string {
	size, rows := 0, int64(0)
	for word, n := range w.count {
		size, rows = size+len(word), rows+n.rows
	}
	switch {
	case len(w.count) > MaxLevels:
		return fmt.Sprintf("%d levels in %d rows, and a category has at most %d", len(w.count), rows, MaxLevels)
	case size > maxLevelBytes:
		return fmt.Sprintf("levels of %d bytes, and those of a category have at most %d", size, maxLevelBytes)
	}
	return ""
}

// levels returns the levels in byte order.
func (w *wordCounts) levels() []string {
	list := slices.AppendSeq(make([]string, 0, len(w.count)), maps.Keys(w.count))
	slices.Sort(list)
	return list
}

// codes calls f with the number of each level and the count of its rows, in order; -1 for none.
func (w *wordCounts) codes(f func(code float64, n levelCount)) {
	if w.nulls.rows > 0 {
		f(-1, w.nulls)
	}
	for i, word := range w.levels() {
		f(float64(i), w.count[word])
	}
}

// appendTo appends the counts to data: nulls, levels, and each level with its count.
func (w *wordCounts) appendTo(data []byte) []byte {
	data = w.nulls.appendTo(data)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(w.count)))
	for _, word := range w.levels() {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(word)))
		data = append(data, word...)
		data = w.count[word].appendTo(data)
	}
	return data
}

func (n levelCount) appendTo(data []byte) []byte {
	data = binary.LittleEndian.AppendUint64(data, uint64(n.rows))
	return binary.LittleEndian.AppendUint64(data, math.Float64bits(n.weight))
}

// take reads what appendTo wrote of at most so many rows, and returns the rest.
func (w *wordCounts) take(data []byte, rows int64) ([]byte, error) {
	good, before := true, ""
	next := func(most int64) int64 {
		if good = good && len(data) >= 8; !good {
			return 0
		}
		v := binary.LittleEndian.Uint64(data)
		data = data[8:]
		good = v <= uint64(most)
		return int64(v)
	}
	nextCount := func() levelCount {
		n := levelCount{next(rows), math.Float64frombits(uint64(next(math.MaxInt64)))}
		good = good && n.weight >= 0
		return n
	}
	w.nulls, w.count = nextCount(), make(map[string]levelCount)
	for n := next(MaxLevels); good && n > 0; n-- {
		size := next(int64(len(data)))
		if good = good && size > 0 && size <= int64(len(data)); !good {
			break
		}
		word := string(data[:size])
		data = data[size:]
		w.count[word] = nextCount()
		good = good && word > before && utf8.ValidString(word)
		before = word
	}
	if !good {
		return nil, errors.New("column statistics: damaged levels")
	}
	return data, w.check()
}

// CategoryCount is what words a source has in a column of categories, as far as they were read.
type CategoryCount struct {
	Column string `json:"column"`
	Levels int    `json:"levels"`
	Nulls  int64  `json:"nulls"`
	Unseen int64  `json:"unseen"` // words that are none of the levels
}

// categoryCount counts words that are no level.
type categoryCount struct{ nulls, unseen *atomic.Int64 }

func newCategoryCounts(n int) (list []categoryCount) {
	for range n {
		list = append(list, categoryCount{new(atomic.Int64), new(atomic.Int64)})
	}
	return list
}

func (c categoryCount) add(word string) {
	if word == "" {
		c.nulls.Add(1)
	} else {
		c.unseen.Add(1)
	}
}

// Found returns what words the passes so far have met in each column of categories: after
// [New] in the rows of the fit, else in those that readers have given.
func (s *Source) Found() (list []CategoryCount) {
	for k, c := range s.Categories {
		list = append(list, CategoryCount{c.Column, len(c.Levels), s.found[k].nulls.Load(), s.found[k].unseen.Load()})
	}
	return list
}
