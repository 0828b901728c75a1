"""Tests of tools/ on a made-up house; conftest.py lays it out."""
