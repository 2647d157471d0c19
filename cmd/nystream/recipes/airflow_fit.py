"""A fit in parts by Airflow: mapped tasks for each round, and one that makes the model.

Rounds: as many as nystream plan fit tells; write their number into ROUNDS. If a part fails:
Airflow tries it twice more, and then nothing that follows is run; clear the failed task, and
parts that are there are not done again.
"""
import datetime

from airflow import DAG
from airflow.operators.bash import BashOperator

FIT = "s3spsd /shared/big.parquet --kernel rbf --rank 50"
STATES, MODEL = "/shared/states", "/shared/model.npz"
PARTS, ROUNDS = 8, 1

with DAG(
    dag_id="nystream_fit",
    schedule=None,
    start_date=datetime.datetime(2026, 1, 1),
    default_args={"retries": 2},
) as dag:
    parts = [f"nystream fit {FIT} --states {STATES} --shard {p}/{PARTS}" for p in range(1, PARTS + 1)]
    rounds = [BashOperator.partial(task_id=f"round_{r}").expand(bash_command=parts) for r in range(1, ROUNDS + 1)]
    merge = BashOperator(task_id="merge", bash_command=f"nystream merge --states {STATES} -o {MODEL}")
    for earlier, later in zip(rounds, rounds[1:] + [merge]):
        earlier >> later
