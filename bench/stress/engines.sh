#!/bin/sh
# Engines that make a fit in parts: whether they are installed, how they start, how they fit.
#
#   sh engines.sh ENGINE missing       prints what is not installed, or nothing
#   sh engines.sh ENGINE serve         starts daemons, prints ready, stops them at the end of its input
#   sh engines.sh ENGINE fit ARGS...   makes the fit in $PARTS parts, with its states in st, as m.npz
#
# $RECIPES has the recipes, and $SERVED is the folder of serve. $WORKER, if it is set, runs the
# commands of workers; $LINES is a sed script on the numbers of the parts, for Beam alone.
set -eu
engine=$1 verb=$2
shift 2

need() {
  for program in "$@"; do
    command -v "$program" >/dev/null || printf 'there is no %s; ' "$program"
  done
}

python_with() {
  for python in python3 /usr/bin/python3; do
    if "$python" -c "import $1" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

need_python() { [ "$(python_with "$1")" ] || echo "no Python here has $1"; }

# until_minute waits a minute at most until a command succeeds.
until_minute() {
  for _ in $(seq 600); do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "nothing after a minute: $*" >&2
  return 1
}

# ask makes a fit whose passes a runner divides.
ask() {
  runner=$1
  shift
  nystream fit "$@" -o m.npz --states=st --shards="$PARTS" --runner="$runner" --quiet
}

missing_xargs() { need xargs; }
fit_xargs() { ask "xargs -P 2 -I{} $WORKER" "$@"; }

missing_shell() { need xargs; }
fit_shell() { sh "$RECIPES/shell.sh" "$PARTS" st m.npz "$@"; }

missing_make() { need make; }
fit_make() {
  quoted=
  for word in "$@"; do quoted="$quoted '$word'"; done
  make -s -j2 -f "$RECIPES/make.mk" MODEL=m.npz STATES=st PARTS="$PARTS" FIT="$quoted"
}

# Slurm is a cluster of one node. It has more processors than the machine, so that small jobs do
# not wait for one another.
missing_slurm() { need slurmctld slurmd sbatch srun xargs; }
missing_srun() { missing_slurm; }
export SLURM_CONF="$SERVED/slurm/slurm.conf"
one_idle() { [ "$(sinfo -h -t idle -o %D)" = 1 ]; }
serve_slurm() {
  host=$(hostname -s) port=$((20000 + $$ % 10000))
  rm -rf "$SERVED/slurm"
  mkdir -p "$SERVED/slurm/state" "$SERVED/slurm/spool"
  cat >"$SLURM_CONF" <<CONF
ClusterName=engines
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
StateSaveLocation=$SERVED/slurm/state
SlurmdSpoolDir=$SERVED/slurm/spool
SlurmctldPidFile=$SERVED/slurm/slurmctld.pid
SlurmdPidFile=$SERVED/slurm/slurmd.pid
SlurmctldLogFile=$SERVED/slurm/slurmctld.log
SlurmdLogFile=$SERVED/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
CONF
  slurmctld -D >&2 &
  daemons=$!
  slurmd -D -N "$host" >&2 &
  daemons="$daemons $!"
  until_minute one_idle 2>/dev/null
}
serve_srun() { serve_slurm; }
fit_srun() { ask "xargs -P 2 -I{} srun --quiet -n1 $WORKER" "$@"; }
is_over() { # a controller that does not answer in time has not said so
  state=$(scontrol show job --oneliner "$1" | grep -o ' JobState=[A-Z_]*') || return 1
  case ${state#*=} in PENDING | RUNNING | COMPLETING | CONFIGURING | SUSPENDED | REQUEUED) return 1 ;; esac
}
fit_slurm() {
  sh "$RECIPES/slurm.sh" "$PARTS" st m.npz "$@" >job
  until_minute is_over "$(cat job)"
  if [ -e m.npz ]; then return; fi
  cat slurm-*.out
  scontrol show job --oneliner | grep "WorkDir=$PWD " | grep -oE '\b(JobId|ArrayTaskId|JobState|Reason|Restarts|ExitCode|StdOut)=\S*'
  return 1
}

# Dask has two workers with a nanny each, which replaces a lost worker.
missing_dask() { need_python distributed; }
dask_address() { sed -n 's/.*"address": *"\([^"]*\)".*/\1/p' "$SERVED/dask.json" 2>/dev/null | head -n 1; }
dask_listens() { [ "$(dask_address)" ]; }
serve_dask() {
  python=$(python_with distributed) file=$SERVED/dask.json
  rm -f "$file"
  "$python" -m distributed.cli.dask_scheduler --host 127.0.0.1 --port 0 --no-dashboard --no-jupyter --scheduler-file "$file" >&2 &
  daemons=$!
  until_minute dask_listens
  "$python" -m distributed.cli.dask_worker --scheduler-file "$file" --host 127.0.0.1 --nworkers 2 --nthreads 1 \
    --no-dashboard --local-directory "$SERVED/dask" --death-timeout 60 >&2 &
  daemons="$daemons $!"
}
fit_dask() { ask "$(python_with distributed) $RECIPES/dask_shards.py $(dask_address) $WORKER" "$@"; }

# Spark has two threads in a process of its own for every pass.
missing_spark() {
  need java
  need_python pyspark
}
fit_spark() { ask "env MASTER=local[2] $(python_with pyspark) $RECIPES/spark_shards.py $WORKER" "$@"; }

# Beam is a module of its own, which is never fetched for this.
missing_beam() {
  [ -d "$(go env GOMODCACHE)/github.com/apache/beam" ] || echo "go build in cmd/nystream-beam has not fetched it"
}
serve_beam() { (cd "$RECIPES/../../nystream-beam" && go build -o "$SERVED/bin/nystream-beam" .); }
fit_beam() {
  fold="nystream-beam --shards=$PARTS ${WORKER:+--nystream=$(command -v nystream)} fold"
  if [ "$LINES" ]; then
    echo "sed '$LINES' | \"\$@\"" >lines.sh
    fold="sh $PWD/lines.sh $fold"
  fi
  ask "$fold" "$@"
}

case $verb in
serve)
  daemons=
  trap 'kill $daemons 2>/dev/null; wait' EXIT
  "serve_$engine"
  echo ready
  cat >/dev/null
  ;;
*) "${verb}_$engine" "$@" ;;
esac
