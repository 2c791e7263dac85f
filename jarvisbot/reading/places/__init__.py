"""Places: read out of questions, remembered from a talk, located with their time zones.

Cities come from GeoNames (https://www.geonames.org/), licensed under CC BY 4.0, names of countries from the Unicode CLDR.
"""

from jarvisbot.reading.places.asked import Place, candidates, place_asked, places_asked
from jarvisbot.reading.places.history import last_place
from jarvisbot.reading.places.locating import Doubtful, Located, Location, SeveralZones, locate

__all__ = [
    "Doubtful",
    "Located",
    "Location",
    "Place",
    "SeveralZones",
    "candidates",
    "last_place",
    "locate",
    "place_asked",
    "places_asked",
]
