"""Simulated users: search logs of any size whose truth is known."""
