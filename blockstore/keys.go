package blockstore

import (
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// folderKey is a k=v folder on the way to a file (Hive's partitions).
type folderKey struct{ name, value string }

// hiveNull is the value that stands for null in the name of a folder.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// keyKinds is the kind of column that a folder key of each kind makes.
var keyKinds = map[stream.Kind]column.Kind{stream.Int64: column.Integer, stream.String: column.Text}

// folderKeys returns the k=v folders of a path, in order.
func folderKeys(path string) []folderKey {
	var keys []folderKey
	for _, name := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		if k, v, ok := strings.Cut(name, "="); ok && k != "" {
			keys = append(keys, folderKey{unescape(k), unescape(v)})
		}
	}
	return keys
}

// unescape undoes the %XX of folder names, where it is valid.
func unescape(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// keyValue returns the value of a folder key as a column of one value.
func keyValue(keys []folderKey, field stream.Field) (c stream.Column, found bool) {
	c.Kind = field.Kind
	i := slices.IndexFunc(keys, func(k folderKey) bool { return k.name == field.Name })
	if i < 0 {
		return c, false
	}
	switch value := keys[i].value; {
	case value == hiveNull:
		column.AppendNull(&c)
	case field.Kind == stream.Int64:
		v, _ := strconv.ParseInt(value, 10, 64) // keyKind has tried it
		c.Ints = append(c.Ints, v)
	default:
		c.Strings = append(c.Strings, value)
	}
	return c, true
}
