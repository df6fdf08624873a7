"""Files of a lead: what their columns are, what would be imported, and the import itself."""
