package main

import (
	"fmt"
	"strings"
)

// memoryCase is a command that reads a file. DATA stands for it, OUT.… for a file that is
// written.
type memoryCase struct {
	command, file string
	piped         bool
}

func (c memoryCase) String() string {
	from := c.file
	if c.piped {
		from = "- < " + from
	}
	return strings.Replace(c.command, "DATA", from, 1)
}

// methods are those that every file is read by.
var methods = []string{
	"fit s3spsd DATA --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit rff DATA --columns x* --kernel rbf(gamma=0.1) --rank 5",
	"fit nystrom DATA --columns x* --label name --kernel rbf(gamma=0.1) --rank 10",
	"convert DATA --columns x* --keep name -o OUT.parquet",
}

// special are commands and shapes that stand alone.
var special = []memoryCase{
	{command: "fit rff DATA --kernel rbf(gamma=0.1) --rank 5", file: "one-page.parquet"},
	{command: "fit ism DATA --label name --engine exact --dim 2 --kernel gaussian(sigma=1)", file: "small.csv"},
	{command: "fit ism DATA --label name --engine linear --dim 2 --kernel polynomial(degree=2,c=1)", file: "small.csv"},
	{command: "fit askls DATA --label name --kernel sne(gamma=1) --gamma 1", file: "small.csv"},
	{command: "fit askls DATA --label name --kernel sne(gamma=1) --gamma 1 --engine lowrank --rank 100", file: "medium.csv"},
	{command: "plan fit rff DATA --kernel rbf(gamma=0.1) --rank 5", file: "wide.npy"},
	{command: "plan fit rff DATA --kernel rbf(gamma=0.1) --rank 5", file: "wide.csv"},
	{command: "plan fit landmark DATA --kernel rbf(gamma=median) --rank 5", file: "wide.parquet"},
	{command: "fit ksvd DATA --kernel sne(gamma=1) --rank 3", file: "small.csv"},
	{command: "fit landmark DATA --columns x* --kernel rbf(gamma=median) --rank 20", file: "medium.csv"},
	{command: "fit subspace DATA --columns x* --kernel rbf(gamma=median) --rank 5", file: "small.csv"},
	{command: "fit landmark DATA --columns x* --kernel rbf(gamma=median) --rank 20 --factors OUT.arrow", file: "zstd-1200000.arrow"},
}

// cases are the methods by the formats and sizes of batches, and the special ones.
func cases() (list []memoryCase) {
	for _, rows := range batchRows {
		for _, format := range formats {
			for _, m := range methods {
				list = append(list, memoryCase{m, fmt.Sprintf(format, rows), strings.HasSuffix(format, ".arrows")})
			}
		}
	}
	return append(list, special...)
}
