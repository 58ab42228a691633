"""Open a profile by its content, whatever its name says."""
