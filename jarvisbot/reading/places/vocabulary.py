"""The words of weather and clock questions that are never a place, in German and English."""

from __future__ import annotations

__all__ = [
    "ADJECTIVES",
    "ARTICLES",
    "CUTS",
    "EXONYMS",
    "FILLERS",
    "GENERIC",
    "PERSONS",
    "PREPOSITIONS",
    "SECOND_HALVES",
    "TRAILING",
]

_PREPOSITIONS_WORDS = """
zu zur zum gegenüber in at for near around für auf bei im of von outside to nach about with mit ins
"""
PREPOSITIONS = frozenset(_PREPOSITIONS_WORDS.split())
"""What a place stands behind."""
_ARTICLES_WORDS = """
the der die das den dem des
"""
ARTICLES = frozenset(_ARTICLES_WORDS.split())

_QUESTION = """
what what's whats which when where where's why how how's hows who who's whose tell give show say let know was wann wo
warum wieso weshalb wie welche welcher welches welchen welchem wer sag sage sagen zeig zeige nenne gib please bitte
mal can could would will should shall do does did don't have has had is isn't it's are am was were be been being going
gonna get gets it this that there need needs take bring wear like looking look looks feel feels expect happening
happen come coming want wanna kann kannst können könntest könnte soll sollte muss müssen brauche brauchen braucht
nehmen mitnehmen hat habe haben hast ist isn't sind war waren wird werden wurde es das dies da so bin bist seid gibt geben gibt's
ist's wird's ists wirds isses bleibt bleiben lohnt anziehen rechnen aussehen aussieht sieht fühlt hello hi hey hallo
moin servus jarvis thanks danke ok okay there then and und auch also too plus or oder but aber oh ah well na nun denn
doch eigentlich einmal nochmal again really actually exactly genau bloß nur just currently perhaps vielleicht wohl
think know wissen weiß weißt möchte will wollen würde gern gerne change instead statt stattdessen not nein no nope yes
ja any some much many viel viele more mehr less weniger than als if wenn ob whether whats up about with mit nach von
of people they they're leute man alle everyone over drüben dort drüben dorthin here's here hier lokal local locally me
mir mich uns us dir dich euch euer your you're i you he she we er sie wir ihr du ich sagt meldet steht läuft kommt
kommen liegt liegen lies located befindet befinden same
ready check see find look-up out outside outdoors draußen draussen inside drinnen
"""
_TIMES = """
now right moment today tonight tomorrow yesterday morning mornings afternoon evening night noon midday midnight
weekend week weeks month months year years day days hour hours minute minutes second seconds later soon ago early late
next last coming current currently present still already yet until till from monday tuesday wednesday thursday friday
saturday sunday mondays fridays january february march april may june july august september october november december
winter summer spring autumn fall season jetzt gerade grad momentan aktuell aktuelle aktuellen aktueller aktuelles
zurzeit heute heut morgen übermorgen gestern vorgestern früh vormittag vormittags mittag mittags nachmittag
nachmittags abend abends nacht nachts wochenende woche wochen monat monate monaten jahr jahre jahren tag tage tagen
stunde stunden minute minuten sekunden später bald vor nächste nächsten nächster nächstes kommende kommenden diese
diesen dieser dieses letzte letzten schon noch immer bis seit ab montag dienstag mittwoch donnerstag freitag samstag
sonnabend sonntag januar februar märz mai juni juli oktober dezember frühling frühjahr sommer herbst one two three
four five six seven eight nine ten eins zwei drei vier fünf sechs sieben acht neun zehn ein eine einen einem einer
eines a halb halben half hour's days' o'clock uhr am pm a.m p.m a.m. p.m. once future past zukunft
"""
_SUBJECTS = """
weather forecast forecasts temperature temperatures temp temps degrees degree celsius fahrenheit rain raining rains
rained rainy rainfall snow snowing snows snowed snowy hail hailing storm storms stormy thunder thunderstorm
thunderstorms lightning wind winds windy sun shine shining shines sunshine sunny cloud clouds cloudy fog foggy mist
misty humid humidity uv index ice icy frost frosty freezing overcast drizzle drizzling chance chances probability
percent percentage umbrella umbrellas jacket coat raincoat sunscreen sunglasses shorts gloves scarf boots sweater
conditions climate air pollen sky skies heat heatwave cold-front outlook report update sunrise sunset dry wet
precipitation wetter wetters wetterbericht wettervorhersage wetterlage vorhersage wetterprognose prognose aussichten
temperatur temperaturen grad regen regnet regnen regnete regnerisch schnee schneit schneien schneite hagel hagelt
hageln sturm stürmt gewitter gewittert unwetter wind weht sonne scheint scheinen sonnenschein wolken nebel feucht
luftfeuchtigkeit frost friert frieren gefriert eis glatt glätte niesel nieselt nieselregen niederschlag
regenwahrscheinlichkeit wahrscheinlichkeit chance prozent schirm schirme regenschirm sonnenschirm jacke mantel
regenjacke sonnencreme sonnenbrille mütze handschuhe klima himmel hitze kälte sonnenaufgang sonnenuntergang trocken
nass bewölkt schwül time times clock clocks date dates weekday timezone timezones zone zones hour o'clock local
localtime daylight saving difference different offset watch calendar utc gmt uhrzeit uhrzeiten ortszeit uhr zeit
zeitzone zeitzonen zeitunterschied zeitverschiebung zeitdifferenz unterschied datum wochentag kalenderwoche kw weltuhr
weltzeit weltzeituhr world sommerzeit winterzeit wievielte wievielten wievielter spät late question answer info
information details update status report place places somewhere anywhere country area region location neighbourhood
house home garden office street beach picnic party trip walk run strand ort orte gegend region nähe umgebung dorf land
zuhause hause garten büro straße heimat standort oven fridge space internet general allgemeinen detail celsius minuten
case fall moment augenblick zeit total
"""
_GENERIC_WORDS = """
city town village stadt state dorf
"""
GENERIC = frozenset(_GENERIC_WORDS.split())
"""Part of a name behind another word (Cape Town), no place alone (the town)."""
FILLERS = frozenset(" ".join((_QUESTION, _TIMES, _SUBJECTS)).split())
"""A place never is one of these; the ends of what stands behind a preposition are cleared of them."""
_ADJECTIVES = """
hot cold warm cool chilly mild nice good bad lovely beautiful terrible awful great freezing wet dry bright dark clear fine
heavy light strong weak high low long short worth enough very pretty quite too extremely usually normally typically
nasty gross dull grey gray rather bit little lot likely possible possibly ready safe okay different same fast slow
heiß heiss kalt warm kühl mild schön gut schlecht toll furchtbar nass trocken klar hell dunkel stark schwach hoch niedrig
sehr ziemlich zu recht extrem genug etwas richtig wirklich echt windig sonnig neblig stürmisch wolkig frostig eisig wärmer
kälter heißer besser schlechter warmer colder hotter better worse schnell lange lang schlimm angenehm
"""
ADJECTIVES = frozenset(_ADJECTIVES.split())
"""No place either while they are written small: Nice is a town."""
_CUTS_WORDS = """
to into in at on for near around für bei und and or oder but aber if wenn because weil denn so dass that while during während
i ich we wir you du he she er sie it es they is ist are sind was will wird would should soll can kann does do has hat
have haben a ein eine einen einem einer this diese diesen dieser dieses next nächste nächsten today tomorrow tonight
heute morgen übermorgen jetzt now right currently gerade ab bis until till um from since seit between vs versus when
wann what which who how wie please bitte than als compared verglichen like
"""
CUTS = frozenset(_CUTS_WORDS.split())
"""What ends a place. "am" does not: Frankfurt am Main."""
_TRAILING_WORDS = """
am an im in on at of the der die das den dem zu zum zur von vom auf über and und so mit with unter ab vor
"""
TRAILING = frozenset(_TRAILING_WORDS.split())
"""What may stand inside a place, not at its end."""
_PERSONS_WORDS = """
i i'm i'll we we'll you ich wir du ihr man my mein meine meinen our unser
"""
PERSONS = frozenset(_PERSONS_WORDS.split())
"""A message with one of these names its place with a preposition or not at all."""
_SECOND_HALVES_WORDS = """
tobago herzegovina herzegowina barbuda nevis caicos caicosinseln principe príncipe grenadines grenadinen futuna
miquelon labrador jan hove wear
"""
SECOND_HALVES = frozenset(_SECOND_HALVES_WORDS.split())
"""Behind an "and" that belongs to the name."""
EXONYMS = {
    "deutschland": "Germany", "österreich": "Austria", "schweiz": "Switzerland", "frankreich": "France", "italien": "Italy",
    "spanien": "Spain", "griechenland": "Greece", "türkei": "Turkey", "ägypten": "Egypt", "schweden": "Sweden",
    "norwegen": "Norway", "dänemark": "Denmark", "finnland": "Finland", "polen": "Poland", "ungarn": "Hungary",
    "kroatien": "Croatia", "niederlande": "Netherlands", "belgien": "Belgium", "island": "Iceland", "irland": "Ireland",
    "slowakei": "Slovakia", "tschechien": "Czechia", "rumänien": "Romania", "bulgarien": "Bulgaria", "russland": "Russia",
    "ukraine": "Ukraine", "indien": "India", "japan": "Japan", "südkorea": "South Korea", "neuseeland": "New Zealand",
    "australien": "Australia", "brasilien": "Brazil", "kanada": "Canada", "mexiko": "Mexico", "südafrika": "South Africa",
    "tokio": "Tokyo", "wien": "Vienna", "mailand": "Milan", "rom": "Rome", "brüssel": "Brussels", "bruessel": "Brussels",
    "moskau": "Moscow", "peking": "Beijing", "prag": "Prague", "warschau": "Warsaw", "krakau": "Krakow",
    "danzig": "Gdansk", "breslau": "Wroclaw", "stettin": "Szczecin", "posen": "Poznan", "kopenhagen": "Copenhagen",
    "lissabon": "Lisbon", "athen": "Athens", "venedig": "Venice", "florenz": "Florence", "neapel": "Naples", "turin": "Turin",
    "genua": "Genoa", "nizza": "Nice", "straßburg": "Strasbourg", "genf": "Geneva", "zürich": "Zurich", "köln": "Cologne",
    "münchen": "Munich", "nürnberg": "Nuremberg", "hannover": "Hanover", "kairo": "Cairo", "algier": "Algiers",
    "tiflis": "Tbilisi", "eriwan": "Yerevan", "bukarest": "Bucharest", "belgrad": "Belgrade", "kiew": "Kyiv",
    "singapur": "Singapore", "hongkong": "Hong Kong", "kapstadt": "Cape Town", "neu-delhi": "New Delhi",
    "havanna": "Havana", "mexiko-stadt": "Mexico City", "bozen": "Bolzano", "meran": "Merano", "pressburg": "Bratislava",
    "laibach": "Ljubljana", "agram": "Zagreb", "antwerpen": "Antwerp", "den haag": "The Hague", "reval": "Tallinn",
    "teheran": "Tehran", "bagdad": "Baghdad", "damaskus": "Damascus", "kalkutta": "Kolkata", "rangun": "Yangon",
    "sansibar": "Zanzibar", "teneriffa": "Tenerife", "kanaren": "Canary Islands", "azoren": "Azores", "kreta": "Crete",
    "sizilien": "Sicily", "sardinien": "Sardinia", "korsika": "Corsica", "kalifornien": "California", "bayern": "Bavaria",
    "niederlanden": "Netherlands", "vereinigten staaten": "United States", "philippinen": "Philippines",
    "malediven": "Maldives", "vereinigten arabischen emiraten": "United Arab Emirates", "emiraten": "United Arab Emirates",
    "nordpol": "North Pole", "südpol": "South Pole", "gardasee": "Lake Garda", "bodensee": "Lake Constance",
}  # fmt: skip
"""German names with their English ones, for sources that know only these."""
