"""The interfaces of other programs, on relkit's measures.

Change one import and keep the rest: `relkit.compat.pytrec_eval` for `pytrec_eval`,
`relkit.compat.ranx` for `ranx`, `relkit.compat.ir_measures` for `ir_measures`.
"""
