"""Words without a subject of their own, in German and English."""

from __future__ import annotations

__all__ = ["FUNCTION_WORDS", "STOP_WORDS"]

_FUNCTION_WORDS = """
a an the this that these those it its is are was were be been am do does did have has had will would can could should
may must i you he she we they who whom whose what which when where why how and or but if than then so too very just
only of to in on at by for with from about into over as not no s t re ve ll d m let ein eine einen einem einer eines
der die das den dem des dies diese dieser dieses diesen diesem es ist sind war waren bin bist sein seid wird werden
wurde habe hast hat haben hatte kann kannst können könnte soll sollte muss darf ich du er sie wir ihr man wer wen wem
welche welcher welches welchen wann wo warum wieso weshalb wie woher wohin und oder aber wenn als dann sehr nur auch
noch schon mal doch denn bitte von vom zu zum zur im auf für mit aus bei nach über um nicht kein keine
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""They hold sentences together; a keyword of nothing else would be in every message."""

_VAGUE_WORDS = """
here there being doing having shall might me my mine us our ours your yours him his her hers them their theirs yes ok
okay please also plus some any more most much many one ones other others again still now today tomorrow yesterday
tonight morning evening afternoon night week really sure seriously right huh get got give show tell know say mean want
thing things something anything nothing everything jene jener jenes würde hatten mag mich mir mein meine meinen meinem
meiner uns unser unsere dich dir dein deine euch euer ihn ihm ihnen ihre seine eigentlich ja nein heute morgen gestern
jetzt gerade abend nacht woche hier da dort wirklich echt sicher etwas nichts alles mehr viel viele andere anderen sag
sage zeig gib weißt mach gibt geht wrong falsch cares knows happened passiert
"""
STOP_WORDS = FUNCTION_WORDS | frozenset(_VAGUE_WORDS.split())
"""They say nothing about a subject out in the world."""
