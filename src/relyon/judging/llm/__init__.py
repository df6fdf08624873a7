"""A language model grades search results, as a judge alongside people.

Its grades are kept separate from people's until a lead has seen how well they agree and accepts it.
`prompt.py` builds prompts, `endpoint.py` sends them at the pace of `pace.py`, `answers.py` parses
answers, `judge.py` does all of it for a project. `models.py` and `replies.py` are parts of the
store. `calibration.py` compares a model with people by `figures.py`; `systems.py` and
`differences.py` show the consequences; `descriptions.py` describes them as text.
"""
