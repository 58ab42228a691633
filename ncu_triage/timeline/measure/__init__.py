"""The numbers of a timeline: pure functions from columns to integers."""
