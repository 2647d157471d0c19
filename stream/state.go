package stream

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The serial form of the state of a pass, all numbers little-endian:
//
//	offset  size  content
//	0       4     magic "NySt"
//	4       4     version of the layout, now 4
//	8       8     size h of the header
//	16      h     header: key of the fold, part, subtrees and digest of the forest, as JSON
//	16+h    32    SHA-256 of everything before
//	48+h    …     the forest: see [Forest.MarshalBinary]
const (
	stateMagic   = "NySt"
	stateVersion = 4
	stateHeader  = 16
)

// stateSuffix ends the names of states.
const stateSuffix = ".state"

// stateText is the header of a state.
type stateText struct {
	Key    foldKey    `json:"key"`
	Part   int        `json:"part,omitempty"`
	Parts  int        `json:"parts,omitempty"`
	Seen   int64      `json:"rows_seen"`
	Trees  [][2]int64 `json:"trees"`  // level and index of each subtree of the forest
	Forest string     `json:"forest"` // its digest
}

// savedState is a state in a store whose header was read.
type savedState struct {
	stateText
	name  string
	nodes []node // the subtrees of its forest, in order
}

// encodeState returns the serial form of a state.
func encodeState(h *stateText, forest []byte) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, stateHeader+len(text)+sha256.Size+len(forest))
	data = append(data, stateMagic...)
	data = binary.LittleEndian.AppendUint32(data, stateVersion)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(text)))
	data = append(data, text...)
	sum := sha256.Sum256(data)
	return append(append(data, sum[:]...), forest...), nil
}

// openState opens a state, reads its header and returns a reader of its forest.
func openState(store StateStore, name string) (*savedState, io.ReadCloser, error) {
	r, err := store.Open(name)
	if err != nil {
		return nil, nil, err
	}
	s := &savedState{name: name}
	if err := s.readHeader(r); err != nil {
		r.Close()
		return nil, nil, err
	}
	return s, r, nil
}

// readStateHead returns the header of a state.
func readStateHead(store StateStore, name string) (*savedState, error) {
	s, r, err := openState(store, name)
	if err == nil {
		err = r.Close()
	}
	return s, err
}

// damagedError reports a state that cannot be used.
func (s *savedState) damagedError(reason string) error {
	return &StateError{Name: s.name, Reason: reason, Damaged: true}
}

// readHeader reads everything before the forest.
func (s *savedState) readHeader(r io.Reader) error {
	head, err := io.ReadAll(io.LimitReader(r, stateHeader))
	if err != nil {
		return err
	}
	if len(head) < stateHeader || string(head[:4]) != stateMagic {
		return s.damagedError("it is cut short, or not the state of a pass")
	}
	v := binary.LittleEndian.Uint32(head[4:])
	other := &StateError{Name: s.name, Reason: fmt.Sprintf("it has version %d, and this program knows version %d", v, stateVersion), Foreign: true}
	if v == 1 || v == 2 { // their checksum is at the end
		return other
	}
	length := binary.LittleEndian.Uint64(head[8:])
	rest, err := io.ReadAll(io.LimitReader(r, int64(min(length, math.MaxInt64-sha256.Size)+sha256.Size)))
	if err != nil {
		return err
	}
	if length > uint64(len(rest)) || len(rest) < sha256.Size+int(length) {
		return s.damagedError("its header is longer than the state")
	}
	text := rest[:length]
	if sha256.Sum256(append(head, text...)) != [sha256.Size]byte(rest[length:]) {
		return s.damagedError("it is damaged or cut short: its checksum is wrong")
	}
	if v != stateVersion {
		return other
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s.stateText); err != nil {
		return s.damagedError("its header: " + err.Error())
	}
	last := node{0, -1}
	for _, t := range s.Trees {
		if t[0] < 0 || t[0] > maxLevel || t[1] < 0 || t[1] >= 1<<(maxLevel-t[0]) || t[1]<<t[0] <= last.last() {
			return s.damagedError("its header: subtrees out of order")
		}
		last = node{uint8(t[0]), t[1]}
		s.nodes = append(s.nodes, last)
	}
	return nil
}

// readForest returns the forest of a state whose header was already read.
func (s *savedState) readForest(store StateStore) ([]byte, error) {
	now, r, err := openState(store, s.name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	switch {
	case err != nil:
		return nil, err
	case now.Forest != s.Forest:
		return nil, &StateError{Name: s.name, Reason: "it was written anew while it was read: run the command again"}
	case digest(data) != s.Forest:
		return nil, s.damagedError("it is damaged or cut short: its checksum is wrong")
	}
	nodes, err := nodesOf(data)
	if err == nil && !slices.Equal(nodes, s.nodes) {
		err = errors.New("its subtrees are not those that its header names")
	}
	if err != nil {
		return nil, &StateError{Name: s.name, Reason: err.Error()}
	}
	return data, nil
}

// nodesOf returns the subtrees of a forest in serial form.
func nodesOf(forest []byte) (nodes []node, err error) {
	err = eachTree(forest, func(n node, _ []byte) error {
		nodes = append(nodes, n)
		return nil
	})
	return nodes, err
}

// stateName returns the name of the state of a fold, or of one part of it.
func stateName(fold int, pass string, part, parts int) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(pass))
	name := foldPrefix(fold) + plain
	if parts > 0 {
		name += fmt.Sprintf(".%d-of-%d", part, parts)
	}
	return name + stateSuffix
}

// foldPrefix returns the prefix of the names of all states of a fold.
func foldPrefix(fold int) string { return fmt.Sprintf("%04d-", fold) }

// foldNumber returns the number of the fold in the name of a state, 0 if it has none.
func foldNumber(name string) int {
	number, _, _ := strings.Cut(name, "-")
	fold, _ := strconv.Atoi(number)
	return fold
}

// StateInfo describes a stored state.
type StateInfo struct {
	Name        string
	Err         error  // why it cannot be read, a [StateError]; then only Name is set
	Pass        string // the name of the fold
	Fold        int    // its number in the fit, counted from 1
	Part, Parts int    // 0 for the state of a whole fold
	Seen, Rows  int64  // rows folded, and rows of the whole pass
	Identity    string // see NewRun
}

// ListStates describes the states in a store, ordered by fold and name. It reads only their
// headers.
func ListStates(store StateStore) ([]StateInfo, error) {
	names, err := sortedNames(store)
	if err != nil {
		return nil, err
	}
	var all []StateInfo
	for _, name := range names {
		h, err := readStateHead(store, name)
		switch {
		case errors.As(err, new(*StateError)):
			all = append(all, StateInfo{Name: name, Err: err})
		case err != nil:
			return nil, err
		default:
			all = append(all, StateInfo{Name: name, Pass: h.Key.Pass, Fold: h.Key.Fold, Part: h.Part, Parts: h.Parts,
				Seen: h.Seen, Rows: h.Key.Rows, Identity: h.Key.Identity})
		}
	}
	return all, nil
}

// sortedNames returns the names of the states in a store, ordered by fold.
func sortedNames(store StateStore) ([]string, error) {
	names, err := store.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasSuffix(n, stateSuffix) })
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(foldNumber(a), foldNumber(b)), cmp.Compare(a, b))
	})
	return names, nil
}
