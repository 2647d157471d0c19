package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
)

// The serial form of the state of a pass, all numbers little-endian:
//
//	offset  size  content
//	0       4     magic "NySt"
//	4       4     version of the layout, now 2
//	8       8     length h of the header
//	16      h     header: what the state is of, as JSON
//	16+h    …     the forest: see [Forest.MarshalBinary]
//	end−32  32    SHA-256 of all that comes before
const (
	stateMagic   = "NySt"
	stateVersion = 2
	stateHeader  = 16
)

// stateSuffix ends the names of states.
const stateSuffix = ".state"

// stateText is the header of a state.
type stateText struct {
	Key   foldKey `json:"key"`
	Part  int     `json:"part,omitempty"`
	Parts int     `json:"parts,omitempty"`
	Seen  int64   `json:"rows_seen"`
	Text  string  `json:"text,omitempty"`
}

// encodeState returns the serial form of a state.
func encodeState(h *stateText, forest []byte) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, stateHeader+len(text)+len(forest)+sha256.Size)
	data = append(data, stateMagic...)
	data = binary.LittleEndian.AppendUint32(data, stateVersion)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(text)))
	data = append(data, text...)
	data = append(data, forest...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...), nil
}

// decodeState splits a state that encodeState wrote. It allocates no more than a few
// times the length of the header. What is whole and of another version is not damaged.
func decodeState(name string, data []byte) (*stateText, []byte, error) {
	damaged := func(reason string) (*stateText, []byte, error) {
		return nil, nil, &StateError{Name: name, Reason: reason, Damaged: true}
	}
	if len(data) < stateHeader+sha256.Size || string(data[:4]) != stateMagic {
		return damaged("it is cut short, or not the state of a pass")
	}
	end := len(data) - sha256.Size
	if sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return damaged("it is damaged or cut short: its checksum is wrong")
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != stateVersion {
		return nil, nil, &StateError{Name: name, Reason: fmt.Sprintf("it has version %d, and this program knows version %d", v, stateVersion), Foreign: true}
	}
	length := binary.LittleEndian.Uint64(data[8:])
	if length > uint64(end-stateHeader) {
		return damaged("its header is longer than the state")
	}
	text := data[stateHeader : stateHeader+length]
	h := new(stateText)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(h); err != nil {
		return damaged("its header: " + err.Error())
	}
	return h, data[stateHeader+length : end], nil
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

// foldPrefix begins the names of all states of a fold.
func foldPrefix(fold int) string { return fmt.Sprintf("%04d-", fold) }

// StateError says why a state is not used.
type StateError struct {
	Name   string
	Reason string
	// Damaged tells that the state is of no use to anybody, Foreign that it may be of use to
	// another fit. A state that is neither overlaps with another one.
	Damaged, Foreign bool
}

func (e *StateError) Error() string { return fmt.Sprintf("state %s: %s", e.Name, e.Reason) }

// StateInfo is what a state tells about itself.
type StateInfo struct {
	Name        string
	Err         error  // why it cannot be read, a [StateError]; then it tells nothing more
	Pass        string // the name of the fold
	Fold        int    // its number in the fit, counted from 1
	Part, Parts int    // 0 if the fold was not cut
	Seen, Rows  int64  // rows that were folded, of those of the part's whole pass
	Identity    string // see NewRun
	Text        string // see RunOptions
}

// ListStates returns what the states in a store tell about themselves, in the order of
// their names.
func ListStates(store StateStore) ([]StateInfo, error) {
	names, err := sortedNames(store)
	if err != nil {
		return nil, err
	}
	var all []StateInfo
	for _, name := range names {
		data, err := store.Read(name)
		if err != nil {
			return nil, err
		}
		h, _, err := decodeState(name, data)
		if err != nil {
			all = append(all, StateInfo{Name: name, Err: err})
			continue
		}
		all = append(all, StateInfo{Name: name, Pass: h.Key.Pass, Fold: h.Key.Fold, Part: h.Part, Parts: h.Parts,
			Seen: h.Seen, Rows: h.Key.Rows, Identity: h.Key.Identity, Text: h.Text})
	}
	return all, nil
}
