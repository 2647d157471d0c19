package main

import "fmt"

// fitCase is a fit of rows drawn uniformly, or of two such sources.
type fitCase struct {
	method        string
	rows, columns int
	settings      string
	right         int // rows of the right source, 0 for none
}

func (c fitCase) String() string {
	if c.right > 0 {
		return fmt.Sprintf("%s of %d and %d×%d %s", c.method, c.rows, c.right, c.columns, c.settings)
	}
	return fmt.Sprintf("%s of %d×%d %s", c.method, c.rows, c.columns, c.settings)
}

const rbf = " --kernel rbf(gamma=median)"

// cases take tenths of a second to some seconds each.
var cases = []fitCase{
	{"landmark", 20_000, 20, "--rank 20" + rbf, 0},
	{"landmark", 20_000, 20, "--rank 50" + rbf, 0},
	{"landmark", 100_000, 20, "--rank 50" + rbf, 0},
	{"landmark", 100_000, 3, "--rank 20" + rbf, 0},
	{"landmark", 20_000, 200, "--rank 50" + rbf, 0},
	{"landmark", 5_000, 20, "--rank 100" + rbf, 0},
	{"landmark", 30_000, 20, "--rank 100 --landmarks uniform" + rbf, 0},
	{"landmark", 30_000, 20, "--rank 100 --precision float32" + rbf, 0},
	{"landmark", 20_000, 20, "--rank 200 --landmarks uniform" + rbf, 0},
	{"landmark", 100_000, 20, "--rank 30 --kernel matern32(length=2)", 0},
	{"s3spsd", 100_000, 20, "--rank 50 --sketch 250" + rbf, 0},
	{"s3spsd", 400_000, 20, "--rank 50 --sketch 250" + rbf, 0},
	{"s3spsd", 20_000, 20, "--rank 100" + rbf, 0},
	{"s3spsd", 50_000, 100, "--rank 30" + rbf, 0},
	{"ssrsvd", 100_000, 20, "--rank 50" + rbf, 0},
	{"ssrsvd", 20_000, 20, "--rank 100" + rbf, 0},
	{"ssrsvd", 50_000, 100, "--rank 30" + rbf, 0},
	{"nystrom", 100_000, 20, "--rank 100" + rbf, 0},
	{"nystrom", 100_000, 20, "--rank 300" + rbf, 0},
	{"nystrom", 20_000, 20, "--rank 100 --landmarks leverage" + rbf, 0},
	{"nystrom", 20_000, 20, "--rank 100 --landmarks rpc" + rbf, 0},
	{"nystrom", 30_000, 200, "--rank 200" + rbf, 0},
	{"rpcholesky", 50_000, 20, "--rank 100" + rbf, 0},
	{"rpcholesky", 20_000, 20, "--rank 300" + rbf, 0},
	{"rpcholesky", 20_000, 200, "--rank 100" + rbf, 0},
	{"rff", 200_000, 20, "--rank 100" + rbf, 0},
	{"rff", 50_000, 20, "--rank 500" + rbf, 0},
	{"rff", 50_000, 200, "--rank 200" + rbf, 0},
	{"subspace", 5_000, 20, "--rank 20" + rbf, 0},
	{"subspace", 10_000, 20, "--rank 10" + rbf, 0},
	{"subspace", 5_000, 200, "--rank 20" + rbf, 0},
	{"subspace", 4_000, 20, "--rank 200" + rbf, 0},
	{"subspace", 3_000, 20, "--rank 1000" + rbf, 0},
	{"auto", 20_000, 20, "--rank 50" + rbf, 0},
	{"auto", 100_000, 20, "--rank 30" + rbf, 0},
	{"auto", 5_000, 20, "--rank 200" + rbf, 0},
	{"landmark", 4_000, 20, "--rank 1000" + rbf, 0},
	{"landmark", 50_000, 20, "--tol 0.1" + rbf, 0},
	{"ksvd", 2_000, 20, "--rank 20 --kernel sne(gamma=1)", 4_000},
	{"ksvd", 5_000, 20, "--rank 20 --method nystrom --kernel sne(gamma=1)", 4_000},
}
