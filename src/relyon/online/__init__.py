"""Live search: logs of sessions, samples to judge, experiments, and the monthly number."""
