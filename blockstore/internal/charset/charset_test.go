package charset

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Text in common encodings is decoded, whatever the case of the encoding's name.
func TestEncodingsAreDecoded(t *testing.T) {
	const text = "id,größe\n1,日本 表ソ\n" // the second byte of 表 is a backslash in Shift-JIS
	for name, want := range map[string]string{"shift_jis": "id,gr\n1,日本 表ソ\n", "latin1": "a\nö,ß,é\n", "Latin-1": "é\n", "utf-16": text, "UTF-16BE": text,
		"gbk": "1,日本\n", "koi8-r": "да\n", "": text, "utf-8": text, "IBM037": "abc"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		packed := want
		if !e.IsUTF8() {
			if packed, err = e.plain.NewEncoder().String(want); err != nil {
				t.Fatal(name, err)
			}
		}
		for _, in := range []io.Reader{strings.NewReader(packed), iotest.OneByteReader(strings.NewReader(packed))} {
			got, err := io.ReadAll(e.NewReader(in))
			if string(got) != want || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}

// A byte order mark overrides the named encoding.
func TestByteOrderMarkDecides(t *testing.T) {
	for name, packed := range map[string]string{"": "\xff\xfea\x00,\x00\xe9\x00", "latin1": "\xfe\xff\x00a\x00,\x00\xe9", "utf-16": "\xfe\xff\x00a\x00,\x00\xe9"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(e.NewReader(strings.NewReader(packed))); string(got) != "a,é" || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// An invalid character is an error that names its line, at any position.
func TestRefusesInvalidCharacters(t *testing.T) {
	e, err := Find("shift_jis")
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []int{0, 1, 2, 3, 5000, 70000} {
		packed := strings.Repeat("a\n", before) + "\xfd\xfd\n"
		for _, in := range []io.Reader{strings.NewReader(packed), iotest.OneByteReader(strings.NewReader(packed))} {
			_, err := io.ReadAll(e.NewReader(in))
			if got := lineOf(err); got != int64(before+1) {
				t.Fatalf("%v, want line %d", err, before+1)
			}
		}
	}
	for _, name := range []string{"latin-one", "replacement", "x-user"} {
		if _, err := Find(name); err == nil {
			t.Errorf("%s is found", name)
		}
	}
}

// lineOf returns the line of an UnknownError whose text begins with it, 0 for other errors.
func lineOf(err error) int64 {
	var unknown *UnknownError
	if !errors.As(err, &unknown) || !strings.HasPrefix(unknown.Error(), fmt.Sprintf("line %d: ", unknown.Line)) {
		return 0
	}
	return unknown.Line
}

// Unpaired surrogates and odd last bytes of UTF-16 are errors at any position. Replacement characters in the text are
// not.
func TestRefusesHalves(t *testing.T) {
	for _, big := range []bool{false, true} {
		packed := func(units ...uint16) string {
			var b []byte
			for _, u := range units {
				if big {
					b = append(b, byte(u>>8), byte(u))
				} else {
					b = append(b, byte(u), byte(u>>8))
				}
			}
			return string(b)
		}
		name := map[bool]string{true: "utf-16be", false: "utf-16"}[big]
		for _, mark := range []string{"", packed(0xfeff)} {
			e, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			whole := mark + packed('a', '\n', 0xfffd, 0xd83d, 0xde00, '\n')
			for text, line := range map[string]int64{whole: 0, whole + "a": 3, whole + packed(0xd83d): 3, whole + packed(0xd83d, 'a'): 3,
				mark + packed('a', '\n', 0xde00, 'b'): 2, mark + packed(0xd83d, 0xd83d, 0xde00): 1, mark + packed('a') + "\n": 1} {
				for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
					got, err := io.ReadAll(e.NewReader(in))
					switch {
					case line == 0 && (err != nil || string(got) != "a\n\ufffd\U0001f600\n"):
						t.Errorf("%s: %q, %v", name, got, err)
					case lineOf(err) != line:
						t.Errorf("%s, %q: %q, %v, want an error in line %d", name, text, got, err, line)
					}
				}
			}
		}
	}
}
