"""The goals of make and what they need; make types python3 -m tools GOAL."""
