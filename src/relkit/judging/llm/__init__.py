"""A language model grades search results, as a judge of its own beside the people.

What it says stays apart from what people say until a lead has seen how far the two agree and
accepts it. `prompt.py` asks, `endpoint.py` sends, `answers.py` reads, `judge.py` does all of it for
a project, `storage.py` keeps it, `calibration.py` holds it against people.
"""
