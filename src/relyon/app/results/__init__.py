"""Results: leads find and correct them, judges see their own."""
