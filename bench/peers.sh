#!/usr/bin/env bash
# Runs nystream and Python programs on the same work, one after the other in
# turns, and prints a Markdown table with time, memory and error of each.
set -euo pipefail
shopt -s inherit_errexit # a step that fails in $(...) ends the script too

usage() {
	cat >&2 <<'EOF'
Usage: bench/peers.sh [-n "ROWS..."] [-runs K] [-only s3spsd|ssrsvd|sklearn]

  -n "ROWS..."  numbers of rows for s3spsd and ssrsvd, at least 1000 each
                (default "100000 1000000")
  -runs K       timed runs of every tool, of which the median is printed (default 5)
  -only WORK    one group of comparisons; scikit-learn's have 100000 and 10000 rows

Needs Go, and Debian's python3-numpy, python3-scipy and python3-sklearn; what is
not installed is skipped. PYTHON names another interpreter than /usr/bin/python3,
TMPDIR another folder for the data, which take about 1.5 KB a row while it runs. At
1,000,000 rows the published algorithms need 3 GB of memory.
EOF
	exit 2
}

sizes="100000 1000000" runs=5 only="s3spsd ssrsvd sklearn"
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	-n) sizes=$2 ;;
	-runs) runs=$2 ;;
	-only) only=$2 ;;
	*) usage ;;
	esac
	shift 2
done
[[ $sizes =~ ^\ *([1-9][0-9]{3,}\ *)+$ && $runs =~ ^[1-9][0-9]*$ ]] || usage
[[ $only =~ ^(s3spsd|ssrsvd|sklearn|s3spsd\ ssrsvd\ sklearn)$ ]] || usage

python=${PYTHON:-/usr/bin/python3}
has() { "$python" -c "import $1" 2>/dev/null; }
if ! has numpy; then
	echo "skipped: all comparisons, for $python has no NumPy; apt-get install python3-numpy python3-scipy python3-sklearn"
	exit 0
fi
if [[ $only == *sklearn* ]] && ! { has scipy && has sklearn; }; then
	echo "skipped: comparisons with scikit-learn; apt-get install python3-scipy python3-sklearn"
	only=${only%sklearn}
	[ -n "$only" ] || exit 0
fi

cd "$(dirname "$0")/.."
peers=bench/peers
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

threads=$(nproc)
export OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads PYTHONDONTWRITEBYTECODE=1
unset NYSTREAM_THREADS NYSTREAM_MEMORY NYSTREAM_SEED NYSTREAM_FORMAT NYSTREAM_QUIET
if grep -q -w avx512f /proc/cpuinfo; then
	export OPENBLAS_CORETYPE=SkylakeX # for an OpenBLAS that does not know the processor
fi

go build -o "$dir/nystream" ./cmd/nystream
go build -o "$dir/generate" ./bench/generate
touch "$dir/runs" "$dir/errors"

# data ROWS: makes the file of that many rows.
data() {
	[ -e "$dir/$1.npy" ] || "$dir/generate" uniform -rows "$1" -o "$dir/$1.npy" >/dev/null
}

# A comparison is a list of tools, the first of them nystream. tool adds one:
#
#   tool NAME ERROR COMMAND...
#
# ERROR is the function or program that prints the error of COMMAND. It is run
# first and not timed, and so warms the caches for all that follow.
names=() commands=()
work= rows=
begin() {
	work=$1 rows=$2 names=() commands=()
	data "$rows"
	echo "peers.sh: $work, $rows rows" >&2
}
tool() {
	local name=$1 error=$2
	shift 2
	names+=("$name")
	commands+=("$(printf '%q ' "$@")")
	error=$("$error" "$@")
	printf '%s\t%s\t%s\t%s\n' "$work" "$name" "$rows" "$error" >>"$dir/errors"
}
finish() {
	local run i command
	for ((run = 0; run < runs; run++)); do
		for i in "${!names[@]}"; do
			eval "command=(${commands[i]})"
			"$python" $peers/run.py "$dir/runs" "$work" "${names[i]}" "$rows" "${command[@]}"
		done
	done
}

# The errors, of a peer and of the methods of nystream. The last are computed from
# factors, which an untimed fit writes.
peer_error() { "$@" --error | cut -f 5; }
one_factor_error() {
	"$@" --factors "$dir/u.npy" >/dev/null
	"$python" $peers/sampled_error.py "$dir/$rows.npy" "$dir/model.npz" "$dir/u.npy"
}
two_factor_error() {
	"$@" --left-factors "$dir/u.npy" --right-factors "$dir/v.npy" >/dev/null
	"$python" $peers/sampled_error.py "$dir/$rows.npy" "$dir/model.npz" "$dir/u.npy" "$dir/v.npy"
}

# fit METHOD FILE RANK SKETCH FLAG...: the command line of a fit, in the array fit.
fit() {
	fit=("$dir/nystream" fit "$1" "$2" --kernel 'rbf(gamma=1)' --rank "$3" --sketch "$4"
		-o "$dir/model.npz" --format json --quiet "${@:5}")
}

s3spsd_model() {
	begin "s3spsd" "$1"
	"$dir/nystream" convert "$dir/$1.npy" "$dir/$1.parquet" --format json --quiet >/dev/null
	fit s3spsd "$dir/$1.npy" 50 250
	tool "nystream, NPY" one_factor_error "${fit[@]}"
	fit s3spsd "$dir/$1.parquet" 50 250
	tool "nystream, Parquet" one_factor_error "${fit[@]}"
	tool "NumPy, as published" peer_error "$python" $peers/published.py s3spsd "$dir/$1.npy"
	tool "NumPy, blocked" peer_error "$python" $peers/blocked.py model "$dir/$1.npy"
	tool "NumPy, blocked, threads" peer_error "$python" $peers/blocked.py model-threads "$dir/$1.npy"
	finish
}

s3spsd_factors() {
	begin "s3spsd, U written" "$1"
	fit s3spsd "$dir/$1.npy" 50 250 --factors "$dir/u.npy"
	tool "nystream, NPY" one_factor_error "${fit[@]}"
	tool "NumPy, blocked, two passes" peer_error "$python" $peers/blocked.py factors "$dir/$1.npy"
	tool "NumPy, blocked, two passes, threads" peer_error "$python" $peers/blocked.py factors-threads "$dir/$1.npy"
	finish
}

ssrsvd() {
	begin "ssrsvd" "$1"
	fit ssrsvd "$dir/$1.npy" 50 250
	tool "nystream, NPY" two_factor_error "${fit[@]}"
	tool "NumPy, as published" peer_error "$python" $peers/published.py ssrsvd "$dir/$1.npy"
	finish
}

sklearn() {
	begin "500 features" 100000
	fit landmark "$dir/100000.npy" 500 1000 --nnz 1 --shift fitted --factors "$dir/u.npy"
	tool "nystream landmark, U written" one_factor_error "${fit[@]}"
	tool "scikit-learn Nystroem" peer_error "$python" $peers/sklearn_peers.py nystroem "$dir/100000.npy"
	tool "scikit-learn RBFSampler" peer_error "$python" $peers/sklearn_peers.py rbf-sampler "$dir/100000.npy"
	finish
	begin "rank 50" 10000
	fit landmark "$dir/10000.npy" 50 250 --shift fitted --factors "$dir/u.npy"
	tool "nystream landmark, U written" one_factor_error "${fit[@]}"
	tool "scikit-learn KernelPCA" peer_error "$python" $peers/sklearn_peers.py kernel-pca "$dir/10000.npy"
	tool "scikit-learn randomized_svd" peer_error "$python" $peers/sklearn_peers.py randomized-svd "$dir/10000.npy"
	finish
}

for group in $only; do
	case $group in
	s3spsd)
		for n in $sizes; do
			s3spsd_model "$n"
			s3spsd_factors "$n"
		done
		;;
	ssrsvd)
		for n in $sizes; do
			ssrsvd "$n"
		done
		;;
	sklearn) sklearn ;;
	esac
done

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
cat <<EOF
Uniform rows in [0,1]^20, kernel exp(-|x-y|²), c = 50, s = 250, z = 4; ${processor:-unknown processor},
$threads threads, OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-unset}; $("$python" -c 'import numpy; print("NumPy", numpy.__version__)'). Median of $runs run(s), in turns, files in the page cache.
Seconds are of the whole process for nystream. For Python they leave out the start of the interpreter and the
imports, which favours the peer; the column beside has both. Peak RSS is of the whole process, in 1e6 bytes, the largest
of the runs. Error is the relative Frobenius error off the diagonal between 2000 sampled rows, the same for all.
As published, U stays in memory; nystream leaves a model, and U where it says so.

EOF
"$python" $peers/table.py "$dir/runs" "$dir/errors"
