"""Makes the top-level folder connectors/ importable as `jarvisbot.connectors`, in a checkout and in a wheel alike."""

from jarvisbot.folders import bundled

__path__ = [str(bundled("connectors"))]
