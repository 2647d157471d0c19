package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// block is the text after a comment that names a record.
type block struct {
	line    int    // of the comment, from 1
	record  string // its file
	figures bool   // compares numbers instead of lines
	first   int    // line of the text at which lines start, from 0
	lines   []string
}

var comment = regexp.MustCompile(`^<!-- (figures of )?` + folder + `/(\S+) -->$`)

// blocksOf returns the blocks of a text: code without its fences, or the lines up to an
// empty one.
func blocksOf(text string) []block {
	var all []block
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		found := comment.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if found == nil {
			continue
		}
		b := block{line: i + 1, record: found[2], figures: found[1] != ""}
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "" {
			i++
		}
		end := ""
		if i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "```") {
			i, end = i+1, "```"
		}
		b.first = i + 1
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != end; i++ {
			b.lines = append(b.lines, strings.TrimSpace(lines[i]))
		}
		all = append(all, b)
	}
	return all
}

// documents returns the checked pages: README.md and those of docs.
func documents(root string) ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	return append([]string{filepath.Join(root, "README.md")}, pages...), err
}

// check compares all pages with the records, and returns the number of blocks.
func check(root string) (int, error) {
	pages, err := documents(root)
	n, wrong := 0, []error{err}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return n, err
		}
		blocks := blocksOf(string(text))
		for _, err := range append(compareAll(root, blocks), unrecorded(string(text), blocks)...) {
			wrong = append(wrong, fmt.Errorf("%s:%w", filepath.Base(page), err))
		}
		n += len(blocks)
	}
	return n, errors.Join(wrong...)
}

// compareAll compares blocks with their records.
func compareAll(root string, blocks []block) (wrong []error) {
	for _, b := range blocks {
		r, err := readRecord(filepath.Join(root, folder, b.record))
		if err == nil {
			err = b.compare(r)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%d: %w", b.line, err))
		}
	}
	return wrong
}

// measured matches numbers that only a command can produce: decimal fractions, times, sizes and shares.
var measured = regexp.MustCompile(`\d\.\d|(^|[ (|])\.\d|\d ?(ns|µs|ms|s|min|h|B|kB|MB|GB|KiB|MiB|GiB|%)([ ,.;:)|]|$)`)

// notMeasured matches text that looks measured but is not: code, links, versions.
var notMeasured = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|Go 1\\.\\d+|Apache 2\\.0|v\\d+(\\.\\d+)+")

// unrecorded returns an error for each line with a measured number outside blocks and code.
func unrecorded(text string, blocks []block) (wrong []error) {
	held := map[int]bool{}
	for _, b := range blocks {
		for i := range b.lines {
			held[b.first+i] = true
		}
	}
	code := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code && !held[i] && measured.MatchString(notMeasured.ReplaceAllString(line, "")) {
			wrong = append(wrong, fmt.Errorf("%d: name the record of the figures here\n%s", i+1, line))
		}
	}
	return wrong
}

// updateLines returns the text with the lines of a record, in its blocks, replaced by the corresponding lines of the
// newer record.
func updateLines(text, name string, old, now *record) string {
	is := map[string]string{}
	for i, c := range old.commands {
		was, new := strings.Split(c.output, "\n"), strings.Split(now.commands[i].output, "\n")
		for j := range min(len(was), len(new)) {
			is[strings.TrimSpace(was[j])] = new[j]
		}
	}
	lines := strings.Split(text, "\n")
	for _, b := range blocksOf(text) {
		for j, line := range b.lines {
			if new, known := is[line]; known && b.record == name {
				lines[b.first+j] = new
			}
		}
	}
	return strings.Join(lines, "\n")
}

// figure matches a number in a text. Digits within a word do not count.
var figure = regexp.MustCompile(`(?:\b|\.)\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?\b`)

// compare returns an error that names lines or numbers missing from the record.
func (b block) compare(r *record) error {
	if len(b.lines) == 0 {
		return fmt.Errorf("nothing follows the comment that names %s", b.record)
	}
	lines, figures := r.lines(), map[string]bool{}
	for _, f := range figure.FindAllString(r.text(), -1) {
		figures[f] = true
	}
	for _, line := range b.lines {
		if !b.figures && !lines[line] && line != "" && line != "…" {
			return fmt.Errorf("%s has no line\n%s", b.record, line)
		}
		if !b.figures {
			continue
		}
		for _, f := range figure.FindAllString(line, -1) {
			if !figures[f] {
				return fmt.Errorf("%s has no figure %s, as here:\n%s", b.record, f, line)
			}
		}
	}
	return nil
}
