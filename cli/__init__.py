"""The command line: parses arguments and prints; owns no rule and no SQL."""
