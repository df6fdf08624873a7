"""The interfaces of other programs, on relyon's measures.

Change one import and keep the rest: `relyon.compat.pytrec_eval` for `pytrec_eval`,
`relyon.compat.ranx` for `ranx`, `relyon.compat.ir_measures` for `ir_measures`. pytest loads
`relyon.compat.pytest` by itself: the fixture and the mark `relevance`.

`relyon.compat.sentence_transformers` is an evaluator for training; `relyon.compat.mteb`, `beir` and
`ir_datasets` read what these programs store.

`relyon.compat.haystack`, `llama_index`, `ragas` and `langsmith` are what these programs call to
evaluate retrieval; each needs its program's package when it is imported, and LangSmith's none.
"""
