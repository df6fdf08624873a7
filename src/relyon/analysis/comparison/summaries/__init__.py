"""The summary of a comparison for a pull request."""
