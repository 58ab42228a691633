"""What a report says besides numbers: whose it is, where it lay, how things are called."""
