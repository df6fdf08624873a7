"""A language model grades search results, as a judge of its own beside the people.

What it says stays apart from what people say until a lead has seen how far the two agree and
accepts it. `prompt.py` asks, `endpoint.py` sends at the pace of `pace.py`, `answers.py` reads,
`judge.py` does all of it for a project. `configurations.py`, `replies.py` and `acceptance.py` are
parts of the store. `calibration.py` holds a model against people with `figures.py`; `systems.py`
and `differences.py` say what follows; `wording.py` says it in words.
"""
