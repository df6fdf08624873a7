"""Requests over HTTP: the client, addresses and headers, and what answers mean."""
