// Package lab is what the programs of all papers share: matrices in memory, and a cache of
// measurements, keyed by the build that made them.
package lab

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Cache keeps measurements in a file, so that an interrupted run continues where it
// stopped. Another build of the program starts another file.
type Cache struct {
	file   *os.File
	values map[string]json.RawMessage
}

// line is one measurement in the file.
type line struct {
	Key   string
	Value json.RawMessage
}

// OpenCache opens the cache of this build in dir, which must exist. A last line that a
// kill has cut is dropped.
func OpenCache(dir string) (*Cache, error) {
	build, err := buildID()
	if err != nil {
		return nil, err
	}
	return openCache(filepath.Join(dir, "cache-"+build+".jsonl"))
}

// buildID returns a digest of the running program.
func buildID() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil)[:6]), nil
}

func openCache(path string) (*Cache, error) {
	c := &Cache{values: map[string]json.RawMessage{}}
	whole, err := c.read(path)
	if err != nil {
		return nil, err
	}
	if c.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	if err := c.file.Truncate(whole); err != nil {
		return nil, errors.Join(err, c.file.Close())
	}
	_, err = c.file.Seek(whole, io.SeekStart)
	return c, err
}

// read takes the lines of the file and returns the size of those that are whole.
func (c *Cache) read(path string) (whole int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return whole, nil
		}
		var l line
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: byte %d: %w; remove the file", path, whole, err)
		}
		c.values[l.Key] = l.Value
		whole += int64(len(text))
	}
}

// Close closes the file.
func (c *Cache) Close() error { return c.file.Close() }

// Cached returns the measurement of a key, which it makes if the cache lacks it. T must
// survive JSON: [Figure] is a float64 that may be NaN or infinite.
func Cached[T any](c *Cache, key string, measure func() (T, error)) (T, error) {
	v, known, err := Lookup[T](c, key)
	if err != nil || known {
		return v, err
	}
	if v, err = measure(); err != nil {
		return v, err
	}
	return v, c.Put(key, v)
}

// Lookup returns the measurement of a key, if the cache has it.
func Lookup[T any](c *Cache, key string) (v T, known bool, err error) {
	raw, known := c.values[key]
	if !known {
		return v, false, nil
	}
	return v, true, json.Unmarshal(raw, &v)
}

// Put keeps the measurement of a key.
func (c *Cache) Put(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	c.values[key] = raw
	return json.NewEncoder(c.file).Encode(line{key, raw})
}

// Figure is a number that may be NaN or infinite, which JSON has no numbers for: it is
// written as a string.
type Figure float64

// MarshalText implements [encoding.TextMarshaler].
func (f Figure) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *Figure) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*f = Figure(v)
	return err
}
