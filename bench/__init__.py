"""Side-by-side benchmarks of relkit and its peers; see README.md."""
