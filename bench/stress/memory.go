package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"
)

// memoryCase is a command that reads a file. X stands for it; outputs are relative.
type memoryCase struct {
	command, file string
	piped         bool
}

func (c memoryCase) String() string { return strings.Replace(c.command, "X", c.file, 1) }

// memoryMethods read every large file.
var memoryMethods = []string{
	"fit s3spsd X --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit rff X --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit nystrom X --columns x* --label name --kernel rbf(gamma=0.1) --rank 10",
	"convert X --columns x* --keep name -o out.parquet",
}

// memorySpecial are commands and shapes that stand alone.
var memorySpecial = [][2]string{
	{"fit rff X --kernel rbf(gamma=0.1) --rank 5",
		"zstd-10000000x1-10000000.parquet"},
	{"fit ism X --label name --engine exact --dim 2 --kernel gaussian(sigma=1)",
		"text-600x4-7.csv"},
	{"fit ism X --label name --engine linear --dim 2 --kernel polynomial(degree=2,c=1)",
		"text-600x4-7.csv"},
	{"fit askls X --label name --kernel sne(gamma=1) --gamma 1",
		"text-600x4-7.csv"},
	{"fit askls X --label name --kernel sne(gamma=1) --gamma 1 --engine lowrank --rank 100",
		"text-20000x4-7.csv"},
	{"plan fit rff X --kernel rbf(gamma=0.1) --rank 5",
		uniform(200, 20_000, 7, "npy")},
	{"plan fit rff X --kernel rbf(gamma=0.1) --rank 5",
		uniform(200, 20_000, 7, "csv")},
	{"plan fit landmark X --kernel rbf(gamma=median) --rank 5",
		uniform(200, 20_000, 7, "parquet")},
	{"fit ksvd X --kernel sne(gamma=1) --rank 3",
		"text-600x4-7.csv"},
	{"fit landmark X --columns x* --kernel rbf(gamma=median) --rank 20",
		"text-20000x4-7.csv"},
	{"fit subspace X --columns x* --kernel rbf(gamma=median) --rank 5",
		"text-600x4-7.csv"},
	{"fit landmark X --columns x* --kernel rbf(gamma=median) --rank 20 --factors out.arrow",
		"zstd-1200000x4-1200000.arrow"},
}

// largeFormats are files of 1,200,000 rows, with the rows of a batch. The streams are piped.
var largeFormats = []string{"plain-1200000x4-%d.arrow", "zstd-1200000x4-%d.arrow", "lz4-1200000x4-%d.arrow",
	"plain-1200000x4-%d.arrows", "lz4-1200000x4-%d.arrows", "zstd-1200000x4-%d.parquet"}

// memoryCases are the methods by the large files, and the special ones.
func memoryCases() (list []memoryCase) {
	for _, batch := range []int{60_000, 1_200_000} {
		for _, format := range largeFormats {
			for _, m := range memoryMethods {
				list = append(list, memoryCase{m, fmt.Sprintf(format, batch), strings.HasSuffix(format, ".arrows")})
			}
		}
	}
	for _, c := range memorySpecial {
		list = append(list, memoryCase{command: c[0], file: c[1]})
	}
	return list
}

// leastMemory is the --memory of the first run of every case, in bytes.
const leastMemory = 56 << 20

// limitMemory runs every case with little memory, and if that is refused with what the message
// says that the run needs. No run may hold more than it was allowed. A refused run may hold as much
// as it says it needs. The second run must not be refused; that of a pipe may be, since its plan is
// known when the copy is on disk, but not the third.
func limitMemory(ctx context.Context, l *lab) {
	worst, worstCase := 0.0, ""
	for _, c := range memoryCases() {
		l.try(ctx, c.String(), func() string {
			share, outcome := l.memoryOf(ctx, c)
			if share > worst {
				worst, worstCase = share, c.String()
			}
			if share > 1 {
				failf("the peak is %.2f of --memory", share)
			}
			return outcome
		})
	}
	l.note("the largest peak is %.2f of --memory: %s", worst, worstCase)
}

// memoryOf returns the largest peak relative to what was allowed.
func (l *lab) memoryOf(ctx context.Context, c memoryCase) (share float64, outcome string) {
	outcomes := []string{"done with 56 MiB", "done with what a refusal names", "done with what a second refusal names"}
	if !c.piped {
		outcomes = outcomes[:2]
	}
	allowed := int64(leastMemory)
	for _, outcome = range outcomes {
		peak, need := l.limited(ctx, c, allowed)
		share = max(share, float64(peak)/float64(max(allowed, need)))
		if need == 0 {
			return share, outcome
		}
		allowed = need
	}
	failf("it is refused with the memory that it says it needs; then it needs %d bytes", allowed)
	return
}

// needs finds what a refused run needs.
var needs = regexp.MustCompile(`needs ([\d.]+ [KMG]?i?B)`)

// limited runs a case with --memory. It returns the peak, and the need of a refused run.
func (l *lab) limited(ctx context.Context, c memoryCase, memory int64) (peak, need int64) {
	line, path, piped := fmt.Sprintf("%s --quiet --memory %d", c.command, memory), l.data(ctx, c.file), ""
	if strings.HasPrefix(line, "fit") {
		line += " -o model.npz"
	}
	if c.piped {
		path, piped = "-", path
	}
	p := l.fields(line, path)
	p.stdin = piped
	e := l.run(ctx, p)
	if e.code == 0 {
		return e.peak, 0
	}
	found := needs.FindStringSubmatch(e.text)
	if found == nil {
		failf("it ends with %d: %s", e.code, e.text)
	}
	bytes, err := humanize.ParseBytes(found[1])
	check(err)
	return e.peak, int64(bytes)
}
