"""WildTrace Ledger: LLM evaluation whose every figure can be taken apart."""
