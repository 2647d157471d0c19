package main

import "fmt"

// fitCase is a fit of rows drawn uniformly.
type fitCase struct {
	method        string
	rows, columns int
	settings      string
}

func (c fitCase) String() string {
	return fmt.Sprintf("%s of %d×%d %s", c.method, c.rows, c.columns, c.settings)
}

const rbf = " --kernel rbf(gamma=median)"

// cases take tenths of a second to some seconds each.
var cases = []fitCase{
	{"landmark", 20_000, 20, "--rank 20" + rbf},
	{"landmark", 20_000, 20, "--rank 50" + rbf},
	{"landmark", 100_000, 20, "--rank 50" + rbf},
	{"landmark", 100_000, 3, "--rank 20" + rbf},
	{"landmark", 20_000, 200, "--rank 50" + rbf},
	{"landmark", 5_000, 20, "--rank 100" + rbf},
	{"landmark", 30_000, 20, "--rank 100 --landmarks uniform" + rbf},
	{"landmark", 30_000, 20, "--rank 100 --precision float32" + rbf},
	{"landmark", 20_000, 20, "--rank 200 --landmarks uniform" + rbf},
	{"landmark", 100_000, 20, "--rank 30 --kernel matern32(length=2)"},
	{"s3spsd", 100_000, 20, "--rank 50 --sketch 250" + rbf},
	{"s3spsd", 400_000, 20, "--rank 50 --sketch 250" + rbf},
	{"s3spsd", 20_000, 20, "--rank 100" + rbf},
	{"s3spsd", 50_000, 100, "--rank 30" + rbf},
	{"ssrsvd", 100_000, 20, "--rank 50" + rbf},
	{"ssrsvd", 20_000, 20, "--rank 100" + rbf},
	{"ssrsvd", 50_000, 100, "--rank 30" + rbf},
	{"nystrom", 100_000, 20, "--rank 100" + rbf},
	{"nystrom", 100_000, 20, "--rank 300" + rbf},
	{"nystrom", 20_000, 20, "--rank 100 --landmarks leverage" + rbf},
	{"nystrom", 20_000, 20, "--rank 100 --landmarks rpc" + rbf},
	{"nystrom", 30_000, 200, "--rank 200" + rbf},
	{"rpcholesky", 50_000, 20, "--rank 100" + rbf},
	{"rpcholesky", 20_000, 20, "--rank 300" + rbf},
	{"rpcholesky", 20_000, 200, "--rank 100" + rbf},
	{"rff", 200_000, 20, "--rank 100" + rbf},
	{"rff", 50_000, 20, "--rank 500" + rbf},
	{"rff", 50_000, 200, "--rank 200" + rbf},
	{"subspace", 5_000, 20, "--rank 20" + rbf},
	{"subspace", 10_000, 20, "--rank 10" + rbf},
	{"subspace", 5_000, 200, "--rank 20" + rbf},
	{"subspace", 4_000, 20, "--rank 200" + rbf},
	{"subspace", 3_000, 20, "--rank 1000" + rbf},
	{"auto", 20_000, 20, "--rank 50" + rbf},
	{"auto", 100_000, 20, "--rank 30" + rbf},
	{"auto", 5_000, 20, "--rank 200" + rbf},
	{"landmark", 4_000, 20, "--rank 1000" + rbf},
	{"landmark", 50_000, 20, "--tol 0.1" + rbf},
	{"ksvd", 2_000, 20, "--rank 20 --kernel sne(gamma=1)"},
	{"ksvd", 5_000, 20, "--rank 20 --method nystrom --kernel sne(gamma=1)"},
}
