"""Tests of real programs in the simulator: of chapters, of explorers, by make."""
