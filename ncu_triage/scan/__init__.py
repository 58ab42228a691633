"""Judge whole folders of reports: a page each, an index over all, and nothing twice."""
