"""Several judges' grades of one unit as one grade: see `relkit.data.aggregation`."""

from relkit.data.aggregation import Aggregate, Rule, aggregate, describe_rule

__all__ = ["Aggregate", "Rule", "aggregate", "describe_rule"]
