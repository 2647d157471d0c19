"""Runs the shards of a fit on the workers of a Dask cluster:

    nystream fit s3spsd big.parquet --kernel rbf --rank 50 -o m.npz \
        --states st --shards 8 --runner 'python3 dask_shards.py tcp://scheduler:8786'

Without an address it starts workers on this machine. Workers see the same files.

Rounds: nystream asks once for each pass. If a shard fails: Dask tries it twice more, on
another worker if that one died; then the fit ends, and the same command does what is missing.
"""
import os
import subprocess
import sys

from distributed import Client, LocalCluster, wait


def run(number, command, folder):
    words = [word.replace("{}", number) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"shard {number}: exit status {done.returncode}: {done.stderr}")


def main():
    remote = "://" in sys.argv[1]
    command = sys.argv[1 + remote:]
    cluster = sys.argv[1] if remote else LocalCluster(dashboard_address=None, threads_per_worker=1)
    with Client(cluster) as client:
        shards = client.map(run, sys.stdin.read().split(), command=command, folder=os.getcwd(), retries=2, pure=False)
        wait(shards)  # the others are done if one fails
        client.gather(shards)


if __name__ == "__main__":
    main()
