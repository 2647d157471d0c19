package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Different executables have different builds. Without a build ID, the digest of the file identifies one.
func TestBuildID(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	id, err := buildID(self)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{id: "this"}
	data = data[:1<<20] // the ID is at the beginning
	changed := bytes.Clone(data)
	changed[len(changed)-1] ^= 1
	head := min(64<<10, len(data))
	for name, bytes := range map[string][]byte{
		"another ID":      append(bytes.ReplaceAll(data[:head:head], []byte(id), []byte("AAAAAAAAAAAAAAAAAAAA")), data[head:]...),
		"without ID":      append(goBuildID().ReplaceAll(data[:head:head], nil), data[head:]...),
		"changed, no ID":  append(goBuildID().ReplaceAll(data[:head:head], nil), changed[head:]...),
		"shorter than 64": []byte("#!/bin/sh"),
	} {
		path := filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(path, bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		other, err := buildID(path)
		if err != nil || seen[other] != "" {
			t.Errorf("%s: %q, error %v, is that of %q", name, other, err, seen[other])
		}
		seen[other] = name
	}
}
