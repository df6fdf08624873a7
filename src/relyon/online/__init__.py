"""Live search: logs of sessions, samples of them to judge, experiments, and the monthly number."""
