"""Before training: splits of rows by query, and checks of rows and settings."""
