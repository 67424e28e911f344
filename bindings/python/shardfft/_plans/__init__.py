"""Plans: a problem with its options, the calls, operators, reports, and the plans that are kept."""
