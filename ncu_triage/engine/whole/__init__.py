"""The numbers of a report as a whole, one file a theme, for rules about what lies between."""
