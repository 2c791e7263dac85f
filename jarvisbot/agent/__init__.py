"""The turn: which skill answers, what the model reads, what its words are taken for."""
