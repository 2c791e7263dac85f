"""Chat platforms, one a file. Imported as jarvisbot.connectors.NAME, never as connectors.NAME."""
