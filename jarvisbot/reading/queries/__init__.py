"""Queries: what to look up for a message, read off its own words in German and English.

They are for the look-up of a question. `focus` names what a question is about, `fact_ask` what an informal ask is about,
`pronoun_focus` what is asked about someone named earlier, `follow_up` completes a message from the talk so far, and
`lookup_query` chooses among them. Only the first 2,000 characters of a message are read.
"""

from jarvisbot.reading.queries.asking import fact_ask, pronoun_focus
from jarvisbot.reading.queries.focusing import focus
from jarvisbot.reading.queries.following import follow_up, lookup_query

__all__ = ["fact_ask", "focus", "follow_up", "lookup_query", "pronoun_focus"]
