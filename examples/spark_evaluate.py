"""Compares two runs in a cluster of Apache Spark, and keeps the values of every query there.

    spark-submit --master spark://HOST:7077 spark_evaluate.py \\
        s3a://bucket/judgments s3a://bucket/old s3a://bucket/new --per-query s3a://bucket/values

Judgments have the columns query, document and grade, runs query, document and score, as Parquet.
"""

import argparse

from pyspark.sql import SparkSession

import relyon.spark

MEASURES = ["ndcg@10", "rr@10", "recall@100"]


def main() -> None:
    """Prints the comparison; Spark writes one row per query of the candidate."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("judgments")
    parser.add_argument("baseline")
    parser.add_argument("candidate")
    parser.add_argument("--measure", action="append", help="such as ndcg@10")
    parser.add_argument("--per-query", metavar="FOLDER", help="where Spark writes the values")
    given = parser.parse_args()
    measures = given.measure or MEASURES

    spark = SparkSession.builder.appName("relyon").getOrCreate()
    judgments, baseline, candidate = (
        spark.read.parquet(path) for path in (given.judgments, given.baseline, given.candidate)
    )
    comparison = relyon.spark.compare(
        judgments, baseline, candidate, measures, names=["baseline", "candidate"]
    )
    print(comparison.to_text())
    if given.per_query:
        results = relyon.spark.evaluate(judgments, candidate, measures, name="candidate")
        results.frame.write.mode("overwrite").parquet(given.per_query)
    spark.stop()


if __name__ == "__main__":
    main()
