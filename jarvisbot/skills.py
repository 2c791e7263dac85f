"""Makes each skills/<name>/<name_>.py importable as `jarvisbot.skills.<name_>`, in a checkout and in a wheel alike."""

from jarvisbot.folders import bundled

__path__ = sorted(str(folder) for folder in bundled("skills").iterdir() if (folder / "SKILL.md").is_file())
