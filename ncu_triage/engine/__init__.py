"""The judgement: it sees names and numbers only."""
