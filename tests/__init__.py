"""The tests of the course; tests/suites.mk says which there are."""
