"""Audit of a language model as a judge: what moves its grades although it should not.

`probes.py` changes copies of items, `plan.py` draws the items and builds the requests, `records.py`
keeps which copy was asked, apart from all grades; `shifts.py` measures what a change does to the
grade, `measurement.py` all probes of a judge. `families.py`, `versions.py` and `system_bias.py`
need no requests: they compare grades that exist. `document.py` describes the outcome.
"""
