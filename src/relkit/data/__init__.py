"""What is measured: judgments, runs, sessions, their columns, grades and the rules of counting."""
