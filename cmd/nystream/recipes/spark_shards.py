"""Runs the shards of a fit as the tasks of a Spark job:

    nystream fit s3spsd /shared/big.parquet --kernel rbf --rank 50 -o m.npz \
        --states /shared/st --shards 8 --runner 'spark-submit spark_shards.py'

Executors have nystream, and see the same files under the same names.

Rounds: nystream asks once for each pass. If a shard fails: Spark tries it again as often as
spark.task.maxFailures says; then the fit ends, and the same command does what is missing.
"""
import subprocess
import sys

from pyspark.sql import SparkSession


def runner(command):
    def run(batches):
        for batch in batches:
            for number in batch.column("shard").to_pylist():
                words = [word.replace("{}", str(number)) for word in command]
                subprocess.run(words, check=True)
            yield batch

    return run


def main():
    numbers = [(int(n),) for n in sys.stdin.read().split()]
    spark = SparkSession.builder.appName("nystream").getOrCreate()
    shards = spark.createDataFrame(numbers, "shard int").repartitionByRange(len(numbers), "shard")
    shards.mapInArrow(runner(sys.argv[1:]), "shard int").collect()


if __name__ == "__main__":
    main()
