"""Side-by-side benchmarks of relyon and its peers; see README.md."""
