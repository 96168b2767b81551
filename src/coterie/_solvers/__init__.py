"""Linear programs, cutting planes and branch and bound; nothing public."""
