"""Model files: which there are, where they come from, and which of them lie on this machine.

catalogue.py, catalogue.toml   models that are known by a short name
reference.py                   what a person may call a model: a name, `hf:org/repo/file`, a path
host.py, facts.py              the hub that holds the files: facts about a file, and its bytes
partial.py, download.py        a download that goes on where it stopped, is verified, and appears at once
installed.py                   what lies in the models folder, and which of it is in use
machine.py                     how much memory and disk there is
"""
