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

// Encoding selects how the words of a category become numbers. Nulls, empty words and words not
// seen in the fit have no level.
type Encoding uint8

const (
	// EncodeNone keeps columns of words as kept columns.
	EncodeNone Encoding = iota
	// EncodeOneHot makes an indicator column for each level. A row without a level is all 0.
	EncodeOneHot
	// EncodeOrdinal numbers the levels from 0, in byte order. A row without a level is -1.
	EncodeOrdinal
)

var encodingWords = []string{"none", "onehot", "ordinal"}

func (e Encoding) String() string { return words.Of(encodingWords, e) }

// ParseEncoding returns the encoding with the given name, such as onehot.
func ParseEncoding(word string) (Encoding, error) {
	return words.Parse[Encoding]("encoding", encodingWords, word)
}

// Category is a column of words and its levels in the fit, in byte order.
type Category struct {
	Column string   `json:"column"`
	Levels []string `json:"levels"`
}

// Limits on the levels of a column: their number, and their total size in bytes.
const (
	MaxLevels     = 1000
	maxLevelBytes = 1 << 20
)

// levelOf returns the level of a word. Invalid UTF-8 becomes U+FFFD, as in the JSON of a model.
func levelOf(word string) string { return strings.ToValidUTF8(word, "\uFFFD") }

// wordCounts counts the levels of a column.
type wordCounts struct {
	column string
	count  map[string]levelCount
	nulls  levelCount
}

// levelCount is the number and the total weight of the rows of a level.
type levelCount struct {
	rows   int64
	weight float64
}

func (n levelCount) plus(o levelCount) levelCount {
	return levelCount{n.rows + o.rows, n.weight + o.weight}
}

// add counts the word of row i of a column with the given weight.
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

// check returns an error if the column has too many levels.
func (w *wordCounts) check() error { return checkLevels([]wordCounts{*w}) }

// checkLevels returns an error that names all columns with too many levels.
func checkLevels(columns []wordCounts) error {
	var what, leave []string
	for k := range columns {
		w := &columns[k]
		if excess := w.describeExcess(); excess != "" {
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

// describeExcess describes the limit that a column exceeds, "" if none.
func (w *wordCounts) describeExcess() string {
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

// codes calls f with the code and the count of each level, in order. The code of rows without a
// level is -1.
func (w *wordCounts) codes(f func(code float64, n levelCount)) {
	if w.nulls.rows > 0 {
		f(-1, w.nulls)
	}
	for i, word := range w.levels() {
		f(float64(i), w.count[word])
	}
}

// appendTo appends the serial form: the count of nulls, the number of levels, and each level with
// its count.
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

// take decodes the form of appendTo for at most rows rows, and returns the remaining data.
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

// CategoryCount counts the words of a category in the rows read so far.
type CategoryCount struct {
	Column string `json:"column"`
	Levels int    `json:"levels"`
	Nulls  int64  `json:"nulls"`
	Unseen int64  `json:"unseen"` // words that are no level
}

// categoryCount counts rows without a level.
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

// CategoryCounts returns the counts of each category over the passes so far: after [New] over the rows of
// the fit, else over the rows that readers have returned.
func (s *Source) CategoryCounts() (list []CategoryCount) {
	for k, c := range s.Categories {
		list = append(list, CategoryCount{c.Column, len(c.Levels), s.categoryCounts[k].nulls.Load(), s.categoryCounts[k].unseen.Load()})
	}
	return list
}
