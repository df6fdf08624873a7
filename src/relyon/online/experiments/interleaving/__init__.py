"""Interleaving: lists mixed of several runs, and which run users prefer by their clicks."""
