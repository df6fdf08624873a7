"""Click models: one class in one file each."""
