"""Pages of one project, for those who lead it: tabs, decisions, files."""
