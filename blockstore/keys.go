package blockstore

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
)

// FolderNames is the reason why keys of k=v folders are not features by default.
const FolderNames = "names of folders"

// folderKey is a k=v folder in the path of a file (Hive partitioning).
type folderKey struct{ name, value string }

// hiveNull is the value that Hive writes for null and for empty text.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// isNull reports whether the value is missing.
func (k folderKey) isNull() bool { return k.value == hiveNull || k.value == "" }

// folderKeys returns the k=v folders of a path in order, without repeated keys.
func folderKeys(path string) []folderKey {
	if file.IsRemote(path) { // the part after ? may be a signature
		path, _, _ = strings.Cut(path, "?")
	}
	var keys []folderKey
	for _, folder := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		k, v, ok := strings.Cut(folder, "=")
		key := folderKey{unescape(k), unescape(v)}
		if ok && k != "" && !slices.ContainsFunc(keys, func(o folderKey) bool { return o.name == key.name }) {
			keys = append(keys, key)
		}
	}
	return keys
}

// unescape decodes each valid %XX in the name of a folder, like Hive. Invalid UTF-8 becomes U+FFFD.
func unescape(name string) string {
	var plain []byte
	for i := 0; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if v, err := strconv.ParseUint(name[i+1:i+3], 16, 8); err == nil {
				plain = append(plain, byte(v))
				i += 2
				continue
			}
		}
		plain = append(plain, name[i])
	}
	return strings.ToValidUTF8(string(plain), "\uFFFD")
}

// keyKind returns the kind of a column with the given values: Integer if each is a 64-bit integer
// or null, Number if each is exactly a float64, else Text.
func keyKind(values []folderKey) column.Kind {
	kind := column.Integer
	for _, v := range values {
		if v.isNull() {
			continue
		}
		if _, err := strconv.ParseInt(v.value, 10, 64); err == nil {
			continue
		}
		f, ok := text.ParseNumber([]byte(v.value))
		if !ok || math.IsNaN(f) || math.IsInf(f, 0) || text.IsInteger([]byte(v.value)) {
			return column.Text
		}
		kind = column.Number
	}
	return kind
}

// kept returns the value as a kept column of length one.
func (k folderKey) kept(kind stream.ColumnKind) stream.Column {
	c := stream.Column{Kind: kind}
	switch {
	case k.isNull():
		column.AppendNull(&c)
	case kind == stream.Int64:
		v, _ := strconv.ParseInt(k.value, 10, 64) // keyKind has checked it
		c.Ints = append(c.Ints, v)
	case kind == stream.Float64:
		c.Floats = append(c.Floats, k.float())
	default:
		c.Strings = append(c.Strings, k.value)
	}
	return c
}

// float returns the value as a number, NaN for null.
func (k folderKey) float() float64 {
	if k.isNull() {
		return math.NaN()
	}
	v, _ := text.ParseNumber([]byte(k.value)) // keyKind has checked it
	return v
}

// number returns the value as a feature.
func (k folderKey) number(path string, inexact Inexact) (float64, error) {
	if inexact == InexactRefuse && text.IsInexact([]byte(k.value)) {
		return 0, fault.Cell(path, stream.NoRow, k.name, "%w", column.ErrInexact(k.value))
	}
	return k.float(), nil
}

// addKeys appends the folder keys of each file to its columns. A key has the same kind in all
// files. A column of a file hides a key of the same name.
func addKeys(members []*member) {
	values := make(map[string][]folderKey)
	for _, m := range members {
		m.folders = slices.DeleteFunc(m.folders, func(k folderKey) bool { return m.hasColumn(k.name) })
		for _, k := range m.folders {
			values[k.name] = append(values[k.name], k)
		}
	}
	for _, m := range members {
		info := *m.TableInfo
		info.Columns = slices.Clip(info.Columns)
		for _, k := range m.folders {
			info.Columns = append(info.Columns, column.Info{Name: k.name, Kind: keyKind(values[k.name]), Width: 1})
		}
		m.selector = newSelector(&info)
		m.firstKey = m.ownComponents - len(m.folders)
	}
}

// isKey reports whether component i is a folder key.
func (s *selector) isKey(i int) bool { return i >= s.firstKey && i < s.ownComponents }

// key returns the folder of component i, which is a folder key.
func (m *member) key(i int) folderKey { return m.folders[i-m.firstKey] }
