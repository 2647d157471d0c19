#!/bin/sh
# A fit in parts by a shell, four at a time:
#
#   sh shell.sh 8 states model.npz s3spsd big.parquet --kernel rbf --rank 50 [--factors U.npy]
#
# Put ssh HOST before nystream for other machines that see the same files; or let nystream
# ask GNU parallel: nystream fit … --states st --shards 8 --runner 'parallel -S a,b' -o m.npz.
#
# Rounds: as many as nystream plan fit tells; each waits for all parts of the one before. If it
# tells "or more" the data decide: use --runner 'xargs -P 4 -I{}', which asks round after round.
# If a part fails: the script ends; run it again, and parts that are there are not done again.
set -eu
parts=$1 states=$2 model=$3
shift 3
rounds=$(nystream plan fit "$@" --format json | sed 's/.*"rounds":\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -c .)
for _ in $(seq "$rounds"); do
  seq "$parts" | xargs -P 4 -I{} nystream fit "$@" --states "$states" --shard "{}/$parts"
done
nystream fit "$@" --states "$states" -o "$model"
