package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"
)

// memoryMethods read every large file, which X stands for.
var memoryMethods = []string{
	"fit s3spsd X --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit rff X --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit nystrom X --columns x* --label name --kernel rbf(gamma=0.1) --rank 10",
	"convert X --columns x* --keep name -o out.parquet",
}

// largeFormats are files of 1,200,000 rows, with the rows of a batch. The streams, .arrows, are piped.
var largeFormats = []string{
	"plain-1200000x4-%d.arrow", "zstd-1200000x4-%d.arrow", "lz4-1200000x4-%d.arrow",
	"plain-1200000x4-%d.arrows", "lz4-1200000x4-%d.arrows", "zstd-1200000x4-%d.parquet",
}

// memorySpecial are commands and shapes that stand alone.
var memorySpecial = []string{
	"fit rff zstd-10000000x1-10000000.parquet --kernel rbf(gamma=0.1) --rank 5",
	"fit ism text-600x4-7.csv --label name --engine exact --dim 2 --kernel gaussian(sigma=1)",
	"fit ism text-600x4-7.csv --label name --engine linear --dim 2 --kernel polynomial(degree=2,c=1)",
	"fit askls text-600x4-7.csv --label name --kernel sne(gamma=1) --C 1",
	"fit askls text-20000x4-7.csv --label name --kernel sne(gamma=1) --C 1 --engine lowrank --rank 100",
	"plan fit rff uniform-200x20000-7.npy --kernel rbf(gamma=0.1) --rank 5",
	"plan fit rff uniform-200x20000-7.csv --kernel rbf(gamma=0.1) --rank 5",
	"plan fit landmark uniform-200x20000-7.parquet --kernel rbf(gamma=median) --rank 5",
	"fit ksvd text-600x4-7.csv --kernel sne(gamma=1) --rank 3",
	"fit landmark text-20000x4-7.csv --columns x* --kernel rbf(gamma=median) --rank 20",
	"fit subspace text-600x4-7.csv --columns x* --kernel rbf(gamma=median) --rank 5",
	"fit landmark zstd-1200000x4-1200000.arrow --columns x* --kernel rbf(gamma=median) --rank 20 --factors out.arrow",
}

// memoryLines are the methods by the large files, and the special ones.
func memoryLines() (lines []string) {
	for _, batch := range []int{60_000, 1_200_000} {
		for _, format := range largeFormats {
			for _, method := range memoryMethods {
				lines = append(lines, strings.Replace(method, "X", fmt.Sprintf(format, batch), 1))
			}
		}
	}
	return append(lines, memorySpecial...)
}

// leastMemory is the --memory of the first run of every case, in bytes.
const leastMemory = 56 << 20

// limitMemory runs every case with little memory, and if that is refused with what the message
// says that the run needs. No run may hold more than it was allowed. A refused run may hold as much
// as it says it needs. The second run must not be refused; that of a pipe may be, since its plan is
// known when the copy is on disk, but not the third.
func limitMemory(ctx context.Context, l *lab) {
	worst, worstLine := 0.0, ""
	for _, line := range memoryLines() {
		l.try(ctx, line, func() string {
			share, outcome := l.memoryOf(ctx, line)
			if share > worst {
				worst, worstLine = share, line
			}
			if share > 1 {
				failf("the peak is %.2f of --memory", share)
			}
			return outcome
		})
	}
	l.note("the largest peak is %.2f of --memory: %s", worst, worstLine)
}

// dataName finds the file in a line, and needs what a refused run needs.
var (
	dataName = regexp.MustCompile(`\w+-\d+x\d+-\d+\.\w+`)
	needs    = regexp.MustCompile(`needs ([\d.]+ [KMG]?i?B)`)
)

// memoryOf returns the largest peak relative to what was allowed.
func (l *lab) memoryOf(ctx context.Context, line string) (share float64, outcome string) {
	name := dataName.FindString(line)
	file, piped := l.data(ctx, name), ""
	outcomes := []string{"done with 56 MiB", "done with what a refusal names"}
	if strings.HasSuffix(name, ".arrows") {
		file, piped = "-", file
		outcomes = append(outcomes, "done with what a second refusal names")
	}
	if strings.HasPrefix(line, "fit") {
		line += " -o model.npz"
	}
	allowed := int64(leastMemory)
	for _, outcome = range outcomes {
		p := l.fields(fmt.Sprintf("%s --quiet --memory %d", strings.Replace(line, name, "X", 1), allowed), file)
		p.stdin = piped
		e := l.run(ctx, p)
		if e.code == 0 {
			return max(share, float64(e.peak)/float64(allowed)), outcome
		}
		found := needs.FindStringSubmatch(e.text)
		if found == nil {
			failf("it ends with %d: %s", e.code, e.text)
		}
		need, err := humanize.ParseBytes(found[1])
		check(err)
		share = max(share, float64(e.peak)/float64(max(allowed, int64(need))))
		allowed = int64(need)
	}
	failf("it is refused with the memory that it says it needs; then it needs %d bytes", allowed)
	return
}
