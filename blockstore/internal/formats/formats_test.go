package formats

import (
	"strings"
	"testing"
)

// The error for a file of another program names its format. Text that begins with the same letters is accepted.
func TestForeignFormatsAreNamed(t *testing.T) {
	for head, want := range map[string]string{
		"\x89HDF\r\n\x1a\n\x00": "HDF5", "MATLAB 5.0 MAT-file, Platform: posix, Created on: Mon": "writematrix", "MATLAB 7.3 MAT-file": "writematrix",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00": "Excel", "SQLite format 3\x00\x10": "SQLite",
		"ORC\x08\x03": "ORC", "\x80\x04\x95\x00": "pickle", "<html><body>": "web page",
		"<!doctype html>": "web page", "version https://git-lfs.github.com/spec/v1\noid": "git lfs pull", "@RELATION iris\n": "ARFF",
	} {
		format, reason := ByMagic(head)
		if format != "" || reason == nil || reason.Remedy == "" || !strings.Contains(reason.Error(), want) {
			t.Errorf("%q: %q %v", head, format, reason)
		}
	}
	for _, head := range []string{"ORC,PAR1\n1,2\n", "MATLAB,b\n1,2\n"} {
		if format, reason := ByMagic(head); format != "" || reason != nil {
			t.Errorf("%q: %q %v", head, format, reason)
		}
	}
}
