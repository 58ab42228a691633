"""Say in plain words what the numbers of a timeline mean."""
