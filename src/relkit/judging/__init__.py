"""People grade search results: agreement between them, and what their grades say together."""
