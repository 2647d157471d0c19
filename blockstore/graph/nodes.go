package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// nodeTable numbers nodes by first occurrence of their ids. It stores integers as long as all ids
// are 64-bit integers, and then converts them to texts.
type nodeTable struct {
	small    []int32         // for an id below smallIDs its number plus 1, 0 for none; grows on demand
	integers map[int64]int32 // numbers of the other integer ids
	ids      []int64
	texts    map[string]int32 // nil as long as all ids are integers
	names    []string
	bytes    int64 // in names, with their headers

	numeric         int    // names that are 64-bit integers
	firstNonInteger string // the first name that is not
}

func newNodeTable() *nodeTable { return &nodeTable{integers: make(map[int64]int32)} }

// len returns the number of nodes.
func (t *nodeTable) len() int { return max(len(t.ids), len(t.names)) }

var errNoID = fault.New("the id of a node is missing").WithRemedy("mend the line")

var errManyNodes = fault.New("the graph has more than %d nodes", math.MaxInt32-1).WithRemedy("drop some of them")

// number returns the number of a node, a new one for a new id.
func (t *nodeTable) number(id []byte) (int32, error) {
	if t.texts == nil {
		if v, ok := nodeInteger(id); ok {
			return t.integer(v)
		}
		t.convertToTexts()
	}
	return t.text(id)
}

// smallIDs bounds the ids that are looked up in a slice, several times faster than in a map. A
// single id can cause an allocation of 16 MB.
const smallIDs = 1 << 22

// integer returns the number of the node with an integer id.
func (t *nodeTable) integer(id int64) (int32, error) {
	if uint64(id) < smallIDs {
		return t.smallInteger(int(id))
	}
	n, ok := t.integers[id]
	if ok {
		return n, nil
	}
	n, err := t.addInteger(id)
	if err == nil {
		t.integers[id] = n
	}
	return n, err
}

// smallInteger implements integer for 0 ≤ id < smallIDs.
func (t *nodeTable) smallInteger(id int) (int32, error) {
	if id >= len(t.small) {
		t.small = append(t.small, make([]int32, max(id+1, min(2*id, smallIDs))-len(t.small))...)
	}
	if t.small[id] > 0 {
		return t.small[id] - 1, nil
	}
	n, err := t.addInteger(int64(id))
	t.small[id] = n + 1
	return n, err
}

// addInteger assigns the next number to an integer id.
func (t *nodeTable) addInteger(id int64) (int32, error) {
	n := len(t.ids)
	if n == math.MaxInt32-1 {
		return -1, errManyNodes
	}
	t.ids = append(t.ids, id)
	return int32(n), nil
}

// convertToTexts converts all ids to texts.
func (t *nodeTable) convertToTexts() {
	t.texts = make(map[string]int32, len(t.ids))
	for _, id := range t.ids {
		t.add(strconv.FormatInt(id, 10))
	}
	t.small, t.integers, t.ids = nil, nil, nil
}

// text returns the number of the node with a text id.
func (t *nodeTable) text(id []byte) (int32, error) {
	if n, ok := t.texts[string(id)]; ok {
		return n, nil
	}
	switch {
	case len(id) == 0:
		return 0, errNoID
	case !utf8.Valid(id) || bytes.IndexByte(id, 0) >= 0:
		return 0, fault.New("the id %q of a node is no UTF-8 text", fault.Shorten(id)).
			WithRemedy("name the encoding of the file, such as `Layout.Encoding latin1`, unless it is damaged")
	case len(t.names) == math.MaxInt32-1:
		return 0, errManyNodes
	}
	return t.add(string(id)), nil
}

// add assigns the next number to a name.
func (t *nodeTable) add(name string) int32 {
	n := int32(len(t.names))
	t.names = append(t.names, name)
	t.texts[name] = n
	t.bytes += int64(len(name)) + 32
	if _, ok := nodeInteger([]byte(name)); ok {
		t.numeric++
	} else if t.firstNonInteger == "" {
		t.firstNonInteger = name
	}
	return n
}

// mixedWarning returns a warning if most but not all ids are integers, else "".
func (t *nodeTable) mixedWarning() string {
	others := len(t.names) - t.numeric
	if others == 0 || t.numeric < others {
		return ""
	}
	return fmt.Sprintf("%d ids are integers, but %d are not, the first being %q; all are taken as texts, in order of appearance", t.numeric, others, fault.Shorten([]byte(t.firstNonInteger)))
}

// order returns the final number of each node. Nodes after the first listed ones are sorted if all
// ids are integers.
func (t *nodeTable) order(listed int) []int32 {
	order := make([]int32, t.len())
	for i := range order {
		order[i] = int32(i)
	}
	if t.texts == nil {
		slices.SortFunc(order[listed:], func(a, b int32) int { return cmp.Compare(t.ids[a], t.ids[b]) })
		ids := make([]int64, len(order))
		for i, n := range order {
			ids[i] = t.ids[n]
		}
		t.ids = ids
	}
	t.small, t.integers, t.texts = nil, nil, nil
	final := make([]int32, len(order))
	for i, n := range order {
		final[n] = int32(i)
	}
	return final
}

// nodeInteger parses an id that is a 64-bit integer in canonical form. 007, +7 and -0 are texts:
// they differ from 7 and 0.
func nodeInteger(id []byte) (int64, bool) {
	digits, negative := bytes.CutPrefix(id, []byte{'-'})
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && len(id) > 1 {
		return 0, false
	}
	magnitude := uint64(0) // 19 digits cannot overflow
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		magnitude = magnitude*10 + uint64(c-'0')
	}
	if negative {
		return -int64(magnitude), magnitude <= 1<<63
	}
	return int64(magnitude), magnitude < 1<<63
}

// ReadNodes reads ids of nodes from a column of a text file, such as a file of labels, for
// Options.Nodes. column is a name, or a number counted from 0; "" means the column named node, id
// or name, else the first. It uses only Session, Layout and Stdin of o. Delimiters, headers,
// comments, compression and errors are as for [Read]; an empty id is an error. Cost: one pass, and
// the memory of the result.
func ReadNodes(ctx context.Context, path, column string, o Options) (nodes []string, err error) {
	return readWords(ctx, path, column, o, func(word []byte) error {
		if len(word) == 0 {
			return errNoID
		}
		return nil
	})
}

// ReadWords reads a column of such a file like ReadNodes, but accepts any words, including empty
// ones: labels of nodes, some of them unknown.
func ReadWords(ctx context.Context, path, column string, o Options) (words []string, err error) {
	return readWords(ctx, path, column, o, func([]byte) error { return nil })
}

// readWords reads a column of words and calls check for each.
func readWords(ctx context.Context, path, column string, o Options, check func(word []byte) error) (words []string, err error) {
	err = guarded(ctx, path, func() error {
		words, err = openWords(ctx, path, column, o, check)
		return err
	})
	if err != nil {
		return nil, err
	}
	return words, nil
}

// openWords opens a document for its words.
func openWords(ctx context.Context, path, column string, o Options, check func(word []byte) error) ([]string, error) {
	in, err := openDocument(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	words, err := in.words(column, check)
	return words, in.checkUnchanged(err)
}

// words reads the words of a document.
func (t *document) words(column string, check func(word []byte) error) ([]string, error) {
	delimiter, err := t.delimiter()
	if err != nil {
		return nil, err
	}
	first, second, err := firstRecords(t, delimiter, "nodes")
	if err != nil {
		return nil, err
	}
	header := t.namesNodes(column, first, second)
	j, err := nodeColumn(column, first, header)
	if err != nil {
		return nil, err
	}
	var words []string
	lines := t.records(delimiter)
	for {
		cells, err := lines.Next()
		switch {
		case err == io.EOF:
			return words, nil
		case err != nil:
			return nil, err
		case header:
			header = false
		case len(cells) != len(first):
			return nil, lines.Here(text.ErrRagged(len(cells), len(first), delimiter))
		default:
			if err := check(cells[j]); err != nil {
				return nil, lines.Here(err)
			}
			words = append(words, string(cells[j]))
		}
	}
}

// namesNodes reports whether the first record of a list of nodes is a header.
func (t *document) namesNodes(column string, first, second []string) bool {
	if t.layout.Header || t.layout.NoHeader {
		return t.layout.Header
	}
	if findName(first, nodeNames) >= 0 || isColumnName(column, first) {
		return true
	}
	for j := range first {
		if len(second) == len(first) && textAbove(first, second, j) {
			return true
		}
	}
	return false
}

// nodeColumn returns the column of a list of nodes, given its first record.
func nodeColumn(column string, first []string, header bool) (int, error) {
	if !header {
		return findColumn(column, nil, len(first), 0)
	}
	return findColumn(column, first, len(first), max(0, findName(first, nodeNames)))
}
