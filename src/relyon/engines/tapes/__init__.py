"""Tapes: what was asked and answered, recorded, resumed, found beside a run, and compared."""
