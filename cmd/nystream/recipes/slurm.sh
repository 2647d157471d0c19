#!/bin/sh
# A fit in parts by Slurm: an array of jobs for each round, and a job that makes the model.
#
#   sh slurm.sh 8 states model.npz s3spsd big.parquet --kernel rbf --rank 50
#
# Rounds: as many as nystream plan fit tells; each array waits for all jobs of the one before.
# If it tells "or more" the data decide: in an allocation (salloc, sbatch), or from the login
# node, nystream fit --runner 'xargs -P 8 -I{} srun -n1' --shards 8 asks round after round.
# If a job fails: those that depend on it are cancelled. The same command submits all of them
# again, and parts that are there are not done again. A job that is requeued, or runs twice,
# leaves the same state. SBATCH_PARTITION, SBATCH_TIMELIMIT … say where and how long.
set -eu
case $1 in # what the jobs do
shard) shift; exec nystream fit "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" ;;
model) shift; exec nystream fit "$@" ;;
esac
parts=$1 states=$2 model=$3
shift 3
rounds=$(nystream plan fit "$@" --format json | sed 's/.*"rounds":\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -c .)
job=
for _ in $(seq "$rounds"); do
  job=$(sbatch --parsable --requeue --array="1-$parts" ${job:+--dependency="afterok:$job"} --kill-on-invalid-dep=yes \
    "$0" shard "$@" --states "$states")
done
sbatch --parsable --dependency="afterok:$job" --kill-on-invalid-dep=yes "$0" model "$@" --states "$states" -o "$model"
