package blockstore

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// storeParts are the parts of a store of three rows in one chunk: numbers x and text y. The package comment of
// internal/store specifies the format.
type storeParts struct{ header, sections, footer, trailer []byte }

// entry returns the entry of section k in the footer.
func (p *storeParts) entry(k int) []byte { return p.footer[len(p.footer)-32*(2-k):] }

// text returns the section of column y.
func (p *storeParts) text() []byte {
	at, n := binary.LittleEndian.Uint64(p.entry(1))-64, binary.LittleEndian.Uint64(p.entry(1)[8:])
	return p.sections[at:][:(n+63)/64*64]
}

// sealed returns the store with valid checksums, as a faulty writer would produce it.
func (p *storeParts) sealed() string {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := func(to, of []byte) { binary.LittleEndian.PutUint32(to, crc32.Checksum(of, castagnoli)) }
	sum(p.header[60:], p.header[:60])
	footer := append(p.footer, make([]byte, (64-len(p.footer)%64)%64)...)
	sum(p.trailer[48:], footer)
	sum(p.trailer[52:], p.trailer[:52])
	return string(p.header) + string(p.sections) + string(footer) + string(p.trailer)
}

// badStores returns damaged stores, and stores of a faulty writer.
func badStores(t *testing.T) (list []badFile) {
	parts := func(rows int, o string) *storeParts {
		b := &stream.Batch{X: matrix.New(rows, 1), Kept: []stream.Column{{Kind: stream.String, Strings: append([]string{"alpha", "b"}, make([]string, rows-2)...)}}}
		s := contentOf(t, writeStore(t, b, Schema{Columns: []string{"x"}, Kept: []stream.Field{{Name: "y", Kind: stream.String}}, Rows: int64(rows)}, o))
		end := len(s) - 64
		at, n := binary.LittleEndian.Uint64(s[end:]), binary.LittleEndian.Uint64(s[end+8:])
		return &storeParts{s[:64], s[64:at:at], s[at : at+n : at+n], s[end:]}
	}
	add := func(what string, change func(p *storeParts)) {
		p := parts(3, "")
		change(p)
		list = append(list, badFile{name: "a.nys", what: what, content: p.sealed(), Options: Options{Keep: []string{"y"}}})
	}
	raw := func(what string, change func(b []byte)) {
		b := []byte(parts(3, "").sealed())
		change(b)
		list = append(list, badFile{name: "a.nys", what: what, content: string(b), Options: Options{Format: "nys", Keep: []string{"y"}}})
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	reseal := func(p *storeParts) { put32(p.entry(1)[24:], int32(crc32.Checksum(p.text(), castagnoli))) }
	raw("another beginning", func(b []byte) { b[0] = 'x' })
	raw("another end", func(b []byte) { b[len(b)-1] = 'x' })
	raw("a damaged header", func(b []byte) { b[20] ^= 1 })
	raw("a damaged footer", func(b []byte) { b[len(b)-65] ^= 1 })
	raw("a damaged trailer", func(b []byte) { b[len(b)-40] ^= 1 })
	raw("a damaged section", func(b []byte) { b[64] ^= 1 })
	add("another version", func(p *storeParts) { put32(p.header[8:], 9) })
	add("chunks of no rows", func(p *storeParts) { put32(p.header[12:], 0) })
	add("a footer of another place", func(p *storeParts) { put64(p.trailer, 1<<40) })
	add("more columns than the footer has room for", func(p *storeParts) { put32(p.header[12:], 1); put32(p.header[16:], 1000) })
	add("more columns than the footer has", func(p *storeParts) {
		put32(p.header[16:], 3)
		p.footer = p.footer[:len(p.footer)-64]
		put64(p.trailer[8:], int64(len(p.footer)))
	})
	add("a column of an unknown kind", func(p *storeParts) { put32(p.footer[8:], 77) })
	add("more rows than in the sections", func(p *storeParts) { put64(p.footer, 1<<40) })
	add("a section of another place", func(p *storeParts) { put64(p.entry(0), 128) })
	add("sections that end before the footer", func(p *storeParts) {
		p.sections = append(p.sections, make([]byte, 64)...)
		put64(p.trailer, int64(64+len(p.sections)))
	})
	add("a section of unknown flags", func(p *storeParts) { put32(p.entry(0)[28:], 77) })
	add("a section of other bytes than rows", func(p *storeParts) { put64(p.entry(0)[16:], 1) })
	add("a section that stores more than it has", func(p *storeParts) { put64(p.entry(0)[8:], 25) })
	add("a text that ends before it begins", func(p *storeParts) { put32(p.text()[4:], 77); put32(p.text()[8:], 1); reseal(p) })
	add("texts of other bytes than their ends", func(p *storeParts) { put32(p.text()[12:], 77); reseal(p) })
	p := parts(3, "")
	p.trailer[20] ^= 1
	list = append(list, badFile{name: "a.nys", what: "another digest", content: p.sealed(), ask: VerifyStore})
	p = parts(1000, "zstd")
	n := (binary.LittleEndian.Uint64(p.entry(0)[8:]) + 63) / 64 * 64
	p.sections[5] ^= 0xff
	put32(p.entry(0)[24:], int32(crc32.Checksum(p.sections[:n], castagnoli)))
	return append(list, badFile{name: "a.nys", what: "a section that is not compressed", content: p.sealed()})
}
