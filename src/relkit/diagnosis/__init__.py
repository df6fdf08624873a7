"""Rules that read a comparison and say what is the matter, with the numbers that made them fire."""
