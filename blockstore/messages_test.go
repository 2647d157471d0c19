package blockstore

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

var updateMessages = flag.Bool("update", false, "write testdata/messages.txt and digests.txt anew")

// badFile is a file that cannot be used, and what a user asks of it.
type badFile struct {
	name    string // of the file, with the extension
	what    string // is wrong
	content string
	called  string // in the message, if not by its path
	shown   string // in messages.txt, if not so
	Options
	graph   *graph.Options                               // an edge list, if not nil
	ask     func(ctx context.Context, path string) error // what is asked of it, if not to be read
	setting bool                                         // it is asked for what no file can give, and the message names none
	whole   bool                                         // the fault is in no one place
	mutant  bool                                         // what is said depends on versions of libraries, or on the system
	large   bool                                         // takes long: left out with -short
}

// place is how a message tells where something is: what is counted by its number, or a thing
// by its name.
var place = regexp.MustCompile(`\b(row|line|byte|column|columns|row group|batch|section|chunk|feature|entry|field|buffer|array|member|attribute|dictionary) ("|[0-9]|of ")|` +
	`\b(the|a|the NPY) (header|footer|trailer|schema|first line|first bytes|line @data)\b|columns are called "`)

// remedy is how the last part of a message begins, which says what to do.
var remedy = regexp.MustCompile(`^(if [^;]*, )?(or |in each file )?(` +
	`add|call|carry|change|choose|close|convert|copy|decompress|do|download|drop|fit|flatten|give|hash|leave|list|make|mend|name|number|open|pass|pipe|put|raise|remove|rename|repair|reshape|restore|save|say|set|sort|spool|start|store|take|unzip|use|wait|write|` +
	`inside a quoted cell write|the (columns|arrays) are|did you mean)\b|\?$`)

// wholeDamage is what is wrong with the whole of a file, one of whose bytes was changed.
var wholeDamage = regexp.MustCompile(`does not (begin|end) |the reader failed|cannot be a whole store|too few for`)

// raw is what no user is to read: words of libraries and of Go.
var raw = regexp.MustCompile(`runtime error|panic|goroutine|index out of range|nil pointer|slice bounds|arrow/|ipc:|parquet:|thrift|zlib|flate:|gzip:|zstd:|lz4:|snappy:|bzip2|strconv|unexpected EOF|\bEOF\b|json:|invalid |zip:|0xc0|<nil>|%!|\*[a-z]+\.[A-Z]|\n|  |\(\?\)|\.$`)

// complaint returns what a user would miss in a message about f, which is at path.
func complaint(f *badFile, path, message string) string {
	named := regexp.MustCompile(`^(cannot write |glob |no (file|object) matches )?"?` + regexp.QuoteMeta(path) + `"?(: |; |, )`)
	text := named.ReplaceAllString(message, "")
	parts := strings.Split(text, "; ")
	last := parts[len(parts)-1]
	switch {
	case message == "":
		return "it is read without an error"
	case text == message && !f.setting:
		return "the file does not come first"
	case len(text) > 600:
		return fmt.Sprintf("%d bytes are too many", len(text))
	case raw.MatchString(text):
		return fmt.Sprintf("%q is no word for users", raw.FindString(text))
	case !f.whole && !f.setting && !place.MatchString(text) && !(f.mutant && wholeDamage.MatchString(text)):
		return "it says no place"
	case len(parts) == 1 && !strings.HasSuffix(last, "?"), !remedy.MatchString(last):
		return "it does not end in what to do"
	}
	return ""
}

// Every message about a file that cannot be used names it, says where, what and what to do,
// and is short. The messages are in testdata/messages.txt; go test -run TestMessages -update
// writes them, and a reader of the change sees the words that a user will read.
func TestMessages(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "messages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	var omit []string
	for _, f := range slices.Concat(badText(t), badSettings(t), badNPY(t), badEdges(), badParquet(t), badArrow(t), badStores(t), badChanges(t), badPaths(t), badOutputs(t), badArchives(t), badObjects(t), badColumnar(t)) {
		if f.large && testing.Short() {
			omit = append(omit, heading(&f))
			continue
		}
		path := filetest.FileIn(t, t.TempDir(), f.name, f.content)
		message := messageOf(t.Context(), path, f)
		if missed := complaint(&f, cmp.Or(f.called, path), message); missed != "" {
			t.Errorf("%s, %s: %s: %s", f.name, f.what, missed, strings.ReplaceAll(message, path, f.name))
		}
		if !f.mutant {
			message = strings.ReplaceAll(message, path, f.name)
			if f.shown != "" {
				message = strings.ReplaceAll(message, f.called, f.shown)
			}
			fmt.Fprintf(&lines, "%s\t%s\n", heading(&f), message)
		}
	}
	if *updateMessages {
		if testing.Short() {
			t.Fatal("-update needs all messages: run without -short")
		}
		if err := os.WriteFile(golden, []byte(lines.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted := omitMessages(string(want), omit)
	if got := lines.String(); got != wanted {
		t.Errorf("messages differ from %s; run go test -run TestMessages -update and review the difference; the first is\n%s", golden, firstDifference(got, wanted))
	}
}

// heading returns the line above a message in messages.txt.
func heading(f *badFile) string { return f.name + ", " + f.what + "\n" }

// omitMessages returns the text of messages.txt without the messages below some headings.
func omitMessages(text string, headings []string) string {
	lines := slices.Collect(strings.Lines(text))
	for _, h := range headings {
		if at := slices.Index(lines, h); at >= 0 {
			lines = slices.Delete(lines, at, at+2)
		}
	}
	return strings.Join(lines, "")
}

// firstDifference returns the first line of got that is another in want.
func firstDifference(got, want string) string {
	others := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(others) || line != others[i] {
			return line
		}
	}
	return "(there are fewer)"
}

// messageOf asks of a file what f says, and returns what the user is told.
func messageOf(ctx context.Context, path string, f badFile) string {
	ask := f.ask
	switch {
	case ask != nil:
	case f.graph != nil:
		ask = func(ctx context.Context, path string) error {
			_, err := graph.Read(ctx, path, *f.graph)
			return err
		}
	default:
		ask = func(ctx context.Context, path string) error {
			src, err := Open(ctx, []string{path}, f.Options)
			if err == nil {
				_, err = filetest.ReadAll(src, 7)
			}
			return err
		}
	}
	if err := ask(ctx, path); err != nil {
		return err.Error()
	}
	return ""
}

// badColumnar are healthy files of the formats with columns of bytes, of which a byte is
// changed in turn, or the end is missing.
func badColumnar(t *testing.T) []badFile {
	var list []badFile
	for _, format := range []string{".parquet", ".arrow", ".arrows", ".nys", ".compressed.nys"} {
		healthy, s := healthyFile(t, format)
		o := Options{Columns: s.Columns}
		for _, f := range s.Kept {
			o.Keep = append(o.Keep, f.Name)
		}
		name := "a" + format
		add := func(what string, content []byte) {
			list = append(list, badFile{name: name, what: what, content: string(content), Options: o, mutant: true})
		}
		add("too few bytes", healthy[:12])
		add("ends early", healthy[:2*len(healthy)/3])
		seen := map[string]bool{}
		for at := 0; at < len(healthy); at += max(1, len(healthy)/60) {
			for _, flip := range []byte{0xff} {
				damaged := bytes.Clone(healthy)
				damaged[at] ^= flip
				f := badFile{name: name, content: string(damaged), Options: o}
				path := filetest.FileIn(t, t.TempDir(), name, f.content)
				kind := digits.ReplaceAllString(strings.ReplaceAll(messageOf(t.Context(), path, f), path, ""), "#")
				if kind != "" && !seen[kind] {
					seen[kind] = true
					add(fmt.Sprintf("byte %d xor %d", at, flip), damaged)
				}
			}
		}
	}
	return list
}

// digits are the numbers and quoted words of a message.
var digits = regexp.MustCompile(`"[^"]*"|0x[0-9a-f]+|-?[0-9]+`)
