"""Pages of the course: blocks as HTML, recorded answers, and the server that shows them."""
