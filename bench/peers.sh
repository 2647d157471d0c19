#!/usr/bin/env bash
# Runs nystream and Python programs on the same work, one after the other in
# turns, and prints a Markdown table with time, memory and error of each.
set -euo pipefail
shopt -s inherit_errexit # a step that fails in $(...) ends the script too

usage() {
	cat >&2 <<'EOF'
Usage: bench/peers.sh [-n "ROWS..."] [-runs K] [-only s3spsd|ssrsvd|sklearn|answers|error] [-data "NAMES"] [-limit SECONDS]

  -n "ROWS..."  numbers of rows for s3spsd, ssrsvd and error, at least 1000 each
                (default "100000 1000000")
  -runs K       timed runs of every tool, of which the median is printed (default 5;
                1 for error)
  -only WORK    one group of comparisons; scikit-learn's have 100000, 10000 and 8000 rows.
                Answers, which is not among those that run without -only, has the tables of
                principal components, clusters and novelty. Of error, which is not among those that run without -only, there is one
                table: what every tool takes to reach relative errors of .1 to .01
  -data "NAMES" of error: satimage, letter, mnist (files of NYSTREAM_DATA, or of
                ../shared/data) and uniform (default all)
  -limit S      of error: CPU seconds that the next rank of a tool may need (default 10)
  -threads T    threads of all tools (default one per processor)

Needs Go, and Debian's python3-numpy, python3-scipy and python3-sklearn; what is
not installed is skipped. PYTHON names another interpreter than /usr/bin/python3,
TMPDIR another folder for the data, which take about 1.5 KB a row while it runs. At
1,000,000 rows the published algorithms need 3 GB of memory.
EOF
	exit 2
}

sizes="100000 1000000" runs= only="s3spsd ssrsvd sklearn" sets="satimage letter mnist uniform" limit=10 threads=$(nproc)
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	-n) sizes=$2 ;;
	-runs) runs=$2 ;;
	-only) only=$2 ;;
	-data) sets=$2 ;;
	-limit) limit=$2 ;;
	-threads) threads=$2 ;;
	*) usage ;;
	esac
	shift 2
done
[[ $sizes =~ ^\ *([1-9][0-9]{3,}\ *)+$ && $threads =~ ^[1-9][0-9]*$ && $limit =~ ^[1-9][0-9]*$ ]] || usage
[[ $only =~ ^(s3spsd|ssrsvd|sklearn|answers|error|s3spsd\ ssrsvd\ sklearn)$ ]] || usage
[[ $sets =~ ^\ *((satimage|letter|mnist|uniform)\ *)+$ ]] || usage
[ -n "$runs" ] || { runs=5 && [ "$only" != error ] || runs=1; }
[[ $runs =~ ^[1-9][0-9]*$ ]] || usage

python=${PYTHON:-/usr/bin/python3}
has() { "$python" -c "import $1" 2>/dev/null; }
if ! has numpy; then
	echo "skipped: all comparisons, for $python has no NumPy; apt-get install python3-numpy python3-scipy python3-sklearn"
	exit 0
fi
if [[ $only == *sklearn* || $only == answers || $only == error ]] && ! { has scipy && has sklearn; }; then
	echo "skipped: comparisons with scikit-learn; apt-get install python3-scipy python3-sklearn"
	only=${only%sklearn}
	only=${only%error}
	only=${only%answers}
	[ -n "$only" ] || exit 0
fi

cd "$(dirname "$0")/.."
peers=bench/peers
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

export OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads PYTHONDONTWRITEBYTECODE=1
export NYSTREAM_THREADS=$threads
unset NYSTREAM_MEMORY NYSTREAM_SEED NYSTREAM_FORMAT NYSTREAM_QUIET
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
peer_error() { "$@" --error | cut -f 7; }
one_factor_error() {
	"$@" --coordinates orthonormal --factors "$dir/u.npy" >/dev/null
	"$python" $peers/sampled_error.py "$dir/$rows.npy" "$dir/model.npz" "$dir/u.npy"
}
# same: the error of the tool before, which leaves the same.
same() {
	"$@" >/dev/null
	tail -n 1 "$dir/errors" | cut -f 4
}
two_factor_error() {
	"$@" --coordinates orthonormal --left-factors "$dir/u.npy" --right-factors "$dir/v.npy" >/dev/null
	"$python" $peers/sampled_error.py "$dir/$rows.npy" "$dir/model.npz" "$dir/u.npy" "$dir/v.npy"
}

# fit METHOD FILE RANK FLAG...: the command line of a fit, in the array fit.
fit() {
	fit=("$dir/nystream" fit "$1" "$2" --kernel 'rbf(gamma=1)' --rank "$3"
		-o "$dir/model.npz" --format json --quiet "${@:4}")
}

s3spsd_model() {
	begin "s3spsd" "$1"
	"$dir/nystream" convert "$dir/$1.npy" "$dir/$1.parquet" --format json --quiet >/dev/null
	fit s3spsd "$dir/$1.npy" 50 --sketch 250
	tool "nystream, NPY" one_factor_error "${fit[@]}"
	fit s3spsd "$dir/$1.parquet" 50 --sketch 250
	tool "nystream, Parquet" one_factor_error "${fit[@]}"
	tool "NumPy, as published" peer_error "$python" $peers/published.py s3spsd "$dir/$1.npy"
	tool "NumPy, blocked" peer_error "$python" $peers/blocked.py model "$dir/$1.npy"
	tool "NumPy, blocked, threads" peer_error "$python" $peers/blocked.py model-threads "$dir/$1.npy"
	finish
}

s3spsd_factors() {
	begin "s3spsd, U written" "$1"
	fit s3spsd "$dir/$1.npy" 50 --sketch 250 --coordinates orthonormal --factors "$dir/u.npy"
	tool "nystream, NPY" one_factor_error "${fit[@]}"
	tool "NumPy, blocked, two passes" peer_error "$python" $peers/blocked.py factors "$dir/$1.npy"
	tool "NumPy, blocked, two passes, threads" peer_error "$python" $peers/blocked.py factors-threads "$dir/$1.npy"
	finish
}

ssrsvd() {
	begin "ssrsvd" "$1"
	fit ssrsvd "$dir/$1.npy" 50 --sketch 250
	tool "nystream, NPY" two_factor_error "${fit[@]}"
	tool "NumPy, as published" peer_error "$python" $peers/published.py ssrsvd "$dir/$1.npy"
	finish
}

sklearn() {
	begin "500 features" 100000
	fit landmark "$dir/100000.npy" 500 --landmarks 500 --core 1000 --shift fitted
	tool "nystream landmark" one_factor_error "${fit[@]}"
	tool "nystream landmark, U written, NPY" same "${fit[@]}" --coordinates orthonormal --factors "$dir/u.npy"
	tool "nystream landmark, U written, Arrow" same "${fit[@]}" --coordinates orthonormal --factors "$dir/u.arrow"
	tool "scikit-learn Nystroem" peer_error "$python" $peers/sklearn_peers.py nystroem "$dir/100000.npy"
	tool "scikit-learn Nystroem, features written, NPY" same "$python" $peers/sklearn_peers.py nystroem-file "$dir/100000.npy"
	tool "scikit-learn RBFSampler" peer_error "$python" $peers/sklearn_peers.py rbf-sampler "$dir/100000.npy"
	finish
	images
	begin "rank 50" 10000
	fit landmark "$dir/10000.npy" 50 --core 1000 --shift fitted --coordinates orthonormal --factors "$dir/u.npy"
	tool "nystream landmark, U written" one_factor_error "${fit[@]}"
	tool "scikit-learn KernelPCA" peer_error "$python" $peers/sklearn_peers.py kernel-pca "$dir/10000.npy"
	tool "scikit-learn randomized_svd" peer_error "$python" $peers/sklearn_peers.py randomized-svd "$dir/10000.npy"
	finish
}

# images: features of 8,000 images of 784 pixels.
images() {
	made mnist || return 0
	"$python" $peers/rows.py first 8000 "$dir/mnist.npy" "$dir/8000.npy"
	rm "$dir/mnist.npy"
	PEERS_GAMMA=0.01 PEERS_FEATURES=300
	export PEERS_GAMMA PEERS_FEATURES
	begin "300 features, 784 columns, gamma .01" 8000
	fit landmark "$dir/8000.npy" 300 --kernel 'rbf(gamma=0.01)'
	tool "nystream landmark, default" one_factor_error "${fit[@]}"
	fit landmark "$dir/8000.npy" 300 --landmarks 300 --core 600 --kernel 'rbf(gamma=0.01)'
	tool "nystream landmark --landmarks 300" one_factor_error "${fit[@]}"
	tool "nystream landmark --landmarks 300, U written, NPY" same "${fit[@]}" --coordinates orthonormal --factors "$dir/u.npy"
	fit=("$dir/nystream" fit nystrom "$dir/8000.npy" --kernel 'rbf(gamma=0.01)' --rank 300
		-o "$dir/model.npz" --format json --quiet)
	tool "nystream nystrom, the same number of landmarks" one_factor_error "${fit[@]}"
	tool "scikit-learn Nystroem" peer_error "$python" $peers/sklearn_peers.py nystroem "$dir/8000.npy"
	tool "scikit-learn Nystroem, features written, NPY" same "$python" $peers/sklearn_peers.py nystroem-file "$dir/8000.npy"
	finish
	unset PEERS_GAMMA PEERS_FEATURES
}

# found FILE: its path in the folder of real data, if it is there.
found() {
	local file=${NYSTREAM_DATA:-../shared/data}/$1
	[ -e "$file" ] && echo "$file"
}

# made NAME: makes $dir/NAME.npy of a data set, or says what is missing.
made() {
	local file
	case $1 in
	satimage) file=$(found satimage.scale) && "$dir/nystream" convert "$file" "$dir/$1.npy" --input-format libsvm --format json --quiet >/dev/null ;;
	letter) file=$(found letter.scale) && "$python" $peers/rows.py letter "$file" "$dir/$1.npy" ;;
	mnist) file=$(found mnist_t10k.npy) && "$python" $peers/rows.py images "$file" "$dir/$1.npy" ;;
	esac || {
		echo "skipped: $1, whose file is not in ${NYSTREAM_DATA:-../shared/data}; NYSTREAM_DATA names the folder"
		return 1
	}
}

# to_error: one table of what every tool takes to reach an error.
to_error() {
	local set n all=()
	for set in $sets; do
		if [ "$set" = uniform ]; then
			for n in $sizes; do data "$n" && all+=("$n"); done
		elif made "$set"; then
			all+=("$set")
		fi
	done
	[ "${#all[@]}" -gt 0 ] || exit 0
	"$python" $peers/to_error.py "$dir/nystream" "$dir" "${all[@]}" --limit "$limit" --runs "$runs"
	cat <<EOT

Uniform rows are of U[0,1]^20; kernel exp(-gamma |x-y|²), gamma as in the papers and 1/median of squared distances:
with one of them no tool reaches .01, or all do at once. $threads thread(s), $(processor). Relative errors of all tools are
measured alike: on all entries of up to 16,000 rows, or else between 3,000 rows and 3,000 others. A rank is the first of
5, 10, 20, ... 2,560 that reaches the error; seconds and memory of nystream are of its whole process, U written as NPY unless
it says otherwise, and auto finds the rank itself. Python's leave out the interpreter's start and imports; Nystroem and
RBFSampler leave features in memory, blocked NumPy writes U. "Not to rank R" gives the error there, and what ends the ladder:
the CPU seconds that the next rank would need (-limit $limit), or rows or memory (8 GB a tool).
EOT
}

processor() { sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1; }

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
	error) to_error && exit 0 ;;
	answers) "$python" $peers/answers.py "$dir/nystream" "${NYSTREAM_DATA:-../shared/data}" && exit 0 ;;
	esac
done

processor=$(processor)
cat <<EOF
Uniform rows in [0,1]^20, kernel exp(-|x-y|²), c = 50, s = 250, z = 4; ${processor:-unknown processor},
$threads threads, OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-unset}; $("$python" -c 'import numpy; print("NumPy", numpy.__version__)'). Median of $runs run(s), in turns, files in the page cache.
Seconds are of the whole process for nystream. For Python they leave out the start of the interpreter and the
imports, which favours the peer; the column beside has both. Peak RSS is of the whole process, in 1e6 bytes, the largest
of the runs. Error is the relative Frobenius error off the diagonal between 2000 sampled rows, the same for all.
As published, U stays in memory; nystream leaves a model, and U where it says so.

EOF
"$python" $peers/table.py "$dir/runs" "$dir/errors"
