"""The words of invented people's records, and the errors made in writing them down."""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._arrays import Floats

Words: TypeAlias = NDArray[np.object_]
Edit: TypeAlias = Callable[[str, int], str | None]
"""Takes a text and 64 random bits; the text may come back as it was."""


class Origin(NamedTuple):
    """Names that go together: common ones by rank, and the parts of rarer surnames."""

    given: str
    surnames: str
    starts: str
    middles: str
    ends: str


_ORIGINS = (
    Origin(
        "John Mary William Elizabeth James Margaret Robert Patricia Michael Susan David Barbara"
        " Richard Catherine Thomas Dorothy Charles Helen George Anne Joseph Jane Edward Judith"
        " Peter Alice Stephen Frances Philip Deborah Anthony Virginia Kenneth Pamela Ronald"
        " Christine Frederick Rosemary Lawrence Geoffrey",
        "Smith Jones Taylor Brown Johnson Wilson Davies Evans Walker Wright Robinson Thompson"
        " White Hall Green Wood Clarke Jackson Turner Hill Cooper Ward Morris Moore Harris Baker"
        " Carter Mitchell Phillips Bennett",
        "Ash Brad Black Burn Carl Clay Cold Crow Dun East Fair Farn Graf Hal Har Hazel Holl Kirk"
        " Lang Lind Marl Nor Old Pres Rad Red Stan Thorn West Wins",
        " er ing en bur el in ham or le",
        "ton ley ford well wood field more land burn worth ham stead by shaw croft man gate combe"
        " hurst bridge",
    ),
    Origin(
        "Olivia Jack Emily Daniel Sophie Matthew Jessica Joshua Chloë Benjamin Zoë Samuel Hannah"
        " Alexander Rebecca Christopher Katherine Andrew Abigail Nicholas Amelia Jonathan Megan"
        " Timothy Charlotte Gregory Natalie Jacob Samantha Zachary Isabella Theodore Victoria"
        " Nathaniel Madeleine Dominic Penelope Sebastian Jennifer Oliver",
        "Murphy Campbell Kelly Stewart Murray Graham O'Brien Reid Ross Gordon Hughes Lloyd Price"
        " Griffiths Owen Byrne Ryan O'Connor Walsh Doyle Kennedy Lynch Quinn Gallagher Doherty"
        " Henderson Cameron Fraser Douglas Hamilton",
        "Mac Mc Shan Kil Bal Dal Glen Inver Car Cul Aber Pen Tre Lan Dun Ard Strath Col Fin Gil Mor"
        " Kin Loch Mul Rath Tor Don Bren Cor Fer",
        " a na ma lo ra ga cu do le",
        "han gan ney lan van don nell bane vie more kin gow rey len dy wen lin ter nagh cuddy",
    ),
    Origin(
        "José María Juan Carmen Luis Ana Carlos Lucía Francisco Isabel Miguel Pilar Antonio Rosa"
        " Manuel Elena João Inês Pedro Beatriz Javier Sofía Diego Mónica Andrés Gabriela Joaquín"
        " Dolores Raúl Concepción Álvaro Verónica Tomás Ángela Rafael Conceição Ignacio Teresa"
        " Sebastián Guadalupe",
        "García Rodríguez Martínez López Silva Santos González Hernández Pérez Sánchez Ramírez"
        " Torres Flores Gómez Díaz Ferreira Pereira Oliveira Costa Núñez Muñoz Castro Ortega Vega"
        " Morales Ibáñez Peña Almeida Gonçalves Araújo",
        "Al Bar Cal Cas Cor Del Echa Fer Fuen Gar Her Ibar Lar Mal Man Mon Mora Nava Ola Pala Qui"
        " Ro Sala San Tor Uri Val Vela Vil Zara",
        " de la ma ra te ri go na be",
        "ñez les mendi zábal rrez era iro eda ado illo uela ana osa anca ández ique ales ero ués"
        " ojo",
    ),
    Origin(
        "Jean Marie Pierre Hélène Giovanni Giulia François Chloé Marco Francesca Luc Amélie"
        " Giuseppe Chiara René Zoé Matteo Sofia Étienne Margaux Alessandro Valentina Benoît"
        " Océane Lorenzo Bianca Jérôme Noémie Davide Ilaria Gaël Élodie Niccolò Martina Rémi"
        " Solène Stefano Paola Théo Manon",
        "Martin Rossi Bernard Russo Dubois Ferrari Laurent Esposito Lefèvre Bianchi Moreau Romano"
        " Girard Colombo Lefebvre Ricci Mercier Marino Dupont Greco Faure Conti Béranger Gallo"
        " Rousseau Fontana Chevalier Caruso Gauthier Barbieri",
        "Beau Bel Ber Bon Cam Car Cha Cor Dam Dela Du Fal Fon Gal Gran Lam Le Mal Mar Mon Pel Per"
        " Ro Sal San Tar Val Ver Vil Zan",
        " a ra ta be ti gi ne li o",
        "mont nard rini court ville letti nier lier zzi ncourt sson chet bois nelli tier dini vigne"
        " gnon relli roux",
    ),
    Origin(
        "Hans Anna Lars Ingrid Jürgen Ursula Erik Astrid Klaus Sabine Jan Annika Wolfgang Heike"
        " Søren Freja Günther Jördis Pieter Saskia Björn Åsa Stefan Karin Matthias Monika Sven"
        " Maja Dirk Silke Jörg Bärbel Øyvind Solveig Willem Femke Niklas Lieselotte Magnus Käthe",
        "Müller Schmidt Hansen Schneider Jansen Andersson Weber Nielsen Fischer Bakker Meyer"
        " Johansson Wagner Larsen Becker Visser Schäfer Lindqvist Koch Jørgensen Schröder Dijkstra"
        " Krüger Berg Köhler Sørensen Groß Nyström Böhm Bergström",
        "Acker Alt Berg Birken Blom Brand Buch Dal Ek Eichen Falken Feld Grün Hag Hof Holm Kalk"
        " Kirch Lind Löwen Mühl Neu Nord Rosen Sand Schön Stein Stor Wald Wester",
        " en er s els ing ens ers e es",
        "mann meier bauer stein berg feld sen sson dahl gren ström qvist huber hoff bach wald"
        " kamp maker hausen lund",
    ),
    Origin(
        "Jan Anna Piotr Katarzyna Łukasz Małgorzata Tomáš Zuzana Ivan Olga Krzysztof Agnieszka"
        " Jiří Kateřina Dmitri Natalia Paweł Joanna Ondřej Lucie Sergei Svetlana Michał Zofia"
        " Marek Božena Mikhail Irina Stanisław Grażyna Václav Věra Nikolai Ludmila Wojciech"
        " Żaneta Miloš Jadwiga Radosław Dušan",
        "Nowak Novák Kowalski Ivanov Wiśniewski Svoboda Wójcik Petrov Kamiński Dvořák Lewandowski"
        " Smirnov Zieliński Černý Szymański Volkov Woźniak Procházka Dąbrowski Popov Kozłowski"
        " Kučera Mazur Sokolov Krawczyk Veselý Piotrowski Horvat Grabowski Pospíšil",
        "Bor Brat Brze Chmiel Czar Dob Dra Gor Grod Jabło Jasi Kal Kam Kos Kra Lip Mal Mir Nov"
        " Ostr Pol Rad Rud Sad Sob Star Tar Vol Wit Zab",
        " o i a ko na wi le ro mi",
        "ński wski cki czyk vić rov nov šek lik niak rek tka dlo sław vec tský chal nko rski shin",
    ),
    Origin(
        "Mohammed Fatima Ahmed Aisha Ali Priya Rahul Zainab Omar Anjali Imran Noor Sanjay Layla"
        " Yusuf Deepa Hassan Meera Arjun Amina Mehmet Ayşe Vikram Sunita Mustafa Elif Rajesh"
        " Kavita Bilal Yasmin İbrahim Çiğdem Suresh Lakshmi Tariq Samira Ravi Nasreen Özgür Şule",
        "Khan Patel Ahmed Singh Hussain Kumar Ali Sharma Yılmaz Begum Shah Kaur Malik Gupta Kaya"
        " Iqbal Mehta Rahman Reddy Demir Chowdhury Desai Hassan Rao Şahin Mahmood Iyer Aziz"
        " Çelik Banerjee",
        "Abdul Agar Akh Bala Bana Bha Chan Choud Dar Dev Far Gan Gha Hab Jaf Jai Kar Khal Mah Muk"
        " Nar Nas Qur Raj Ram Sal Subra Taj Vij Zah",
        " a u i ar na sha ma la ra",
        "mani war wala eshi her erjee udin ullah swamy nathan kar oğlu adhyay singh pal dani hari"
        " yan ebi rajan",
    ),
    Origin(
        "Wei Mei Minh Linh Hiroshi Yuki Jun Lan Kenji Sakura Hao Xiu Tuấn Hương Takashi Keiko Bao"
        " Ying Quang Thảo Satoshi Haruka Feng Jing Đức Ngọc Kwame Ama Chidi Ngozi Tunde Adaeze"
        " Kofi Abena Emeka Folasade Jabari Zuri Babajide Wanjiru",
        "Wang Nguyễn Li Trần Zhang Tanaka Chen Phạm Liu Sato Okafor Mensah Huang Suzuki Lê Adeyemi"
        " Zhao Watanabe Owusu Đặng Zhou Yamamoto Eze Boateng Xu Kobayashi Bùi Okonkwo Lin Nakamura",
        "Ade Afo Aki Ama Ando Asa Chi Eka Fuji Hase Hira Ike Ishi Kawa Kita Mats Miya Mori Naka Nwa"
        " Oba Ola Oku Ono Saka Taka Uchi Yama Yoshi Uzo",
        " no ga ka ba ra ni shi mo ta",
        "moto mura yama gawa shima hara zaki saki bayo wale nna deji kwu gbe tomi sanya mba gwu"
        " nishi oka",
    ),
)  # fmt: skip


def zipf(size: int, exponent: float) -> Floats:
    """Return the cumulative shares of ranks 1 to `size` under Zipf's law.

    >>> zipf(2, 1.0).round(3).tolist()
    [0.667, 1.0]
    """
    weights: Floats = np.arange(1, size + 1, dtype=np.float64) ** -exponent
    return cumulative(weights)


def cumulative(weights: Floats) -> Floats:
    """Return running sums of weights, of which the last is 1."""
    sums = np.cumsum(weights)
    shares: Floats = sums / sums[-1]
    return shares


def _words(rows: Sequence[str | Sequence[str]]) -> Words:
    return np.array(rows, dtype=object)


ORIGIN_SHARES = cumulative(np.array([5.0, 4, 3, 2, 2, 2, 2, 1]))
GIVEN_NAMES = _words([origin.given.split() for origin in _ORIGINS])
SURNAMES = _words([origin.surnames.split() for origin in _ORIGINS])
STARTS = _words([origin.starts.split() for origin in _ORIGINS])
MIDDLES = _words([origin.middles.split(" ") for origin in _ORIGINS])
ENDS = _words([origin.ends.split() for origin in _ORIGINS])

_STREET_NAMES = (
    "Church High Station Park Main Mill Oak School Elm Maple Victoria Cedar Green Pine Chapel King"
    " Queen Manor Bridge Hill Lake Garden Meadow River Spring Walnut Chestnut Orchard Forest Market"
    " Castle Abbey Poplar Willow Birch Hawthorn Juniper Laurel Magnolia Sycamore Linden Beech Aspen"
    " Hazel Holly Ivy Rose Lavender Heather Bracken Fern Quarry Canal Harbor Ferry Foundry Tannery"
    " Baker Cooper Fletcher Mason Miller Weaver Shepherd Abbot Bishop Prior Friar Windmill Granary"
    " Lantern Anchor Compass Falcon Heron Kestrel Swallow Robin Wren Badger Otter Stag Fox Hare"
    " Granite Slate Amber Silver Summit Valley Ridge Prairie Clover Primrose Thistle"
)
_STREET_TYPES = "Street Road Avenue Lane Drive Close Court Place Boulevard Terrace Square Crescent"
STREETS = _words(
    [[f"{name} {kind}" for kind in _STREET_TYPES.split()] for name in _STREET_NAMES.split()]
)

_CITY_STARTS = (
    "Alder Amber Arden Bram Brook Calder Clare Dell Eld Fen Glan Hart Holm Kes Lark Marl Nether"
    " Oster Pem Quill Raven Sel Thorn Wend"
)
_CITY_ENDS = "ford mere haven wick burgh dale mouth stow"
_CITY_QUALIFIERS = "North Port Saint Mount Lake Fort South Upper"
_CITIES = (
    *(start + end for end in _CITY_ENDS.split() for start in _CITY_STARTS.split()),
    *(f"{word} {name}" for word in _CITY_QUALIFIERS.split() for name in ("Elden", "Tam", "Corrow")),
    *("Grünfurt", "Nørhavn", "Villarébol", "Łozów", "Saint-Aurèle", "Peñalva", "Castelão", "Bräk"),
)
# A stride prime to their number mixes the kinds, so that large cities are not all alike.
CITIES = _words([_CITIES[37 * rank % len(_CITIES)] for rank in range(len(_CITIES))])

DOMAINS = ("postbox.example", "quickmail.example", "letterbox.example", "mailhub.example")

_ABBREVIATIONS = {
    "Street": "St", "Road": "Rd", "Avenue": "Ave", "Lane": "Ln", "Drive": "Dr", "Close": "Cl",
    "Court": "Ct", "Place": "Pl", "Boulevard": "Blvd", "Terrace": "Ter", "Square": "Sq",
    "Crescent": "Cres", "North": "N", "South": "S", "Port": "Pt", "Saint": "St", "Mount": "Mt",
    "Fort": "Ft", "Upper": "Upr", "Lake": "Lk",
}  # fmt: skip
_NICKNAME_LIST = (
    "John:Jack/Johnny Mary:Molly/Polly William:Bill/Will/Billy Elizabeth:Liz/Beth/Betty"
    " James:Jim/Jimmy Margaret:Maggie/Peggy/Meg Robert:Bob/Rob/Bobby Patricia:Pat/Trish"
    " Michael:Mike/Mick Susan:Sue/Susie David:Dave Barbara:Barb/Babs Richard:Rick/Dick"
    " Catherine:Kate/Cathy/Katherine Thomas:Tom/Tommy Dorothy:Dot/Dolly Charles:Charlie/Chuck"
    " Helen:Nell Joseph:Joe/Joey Edward:Ted/Ed/Ned Judith:Judy Peter:Pete Stephen:Steve/Steven"
    " Frances:Fran Philip:Phil/Phillip Deborah:Deb/Debbie Anthony:Tony Virginia:Ginny Kenneth:Ken"
    " Pamela:Pam Ronald:Ron Christine:Chris/Tina Frederick:Fred Rosemary:Rose"
    " Lawrence:Larry/Laurence Geoffrey:Geoff/Jeffrey Anne:Ann/Annie Olivia:Liv/Livvy Emily:Em"
    " Daniel:Dan/Danny Sophie:Sophia Matthew:Matt Jessica:Jess Joshua:Josh Benjamin:Ben Samuel:Sam"
    " Hannah:Hanna Alexander:Alex/Sandy Rebecca:Becky Christopher:Chris/Kit Katherine:Kate/Kathy"
    " Andrew:Andy/Drew Abigail:Abby Nicholas:Nick Amelia:Millie Jonathan:Jon Timothy:Tim"
    " Charlotte:Lottie Gregory:Greg Natalie:Nat Jacob:Jake Samantha:Sam Zachary:Zach Isabella:Bella"
    " Theodore:Theo/Ted Victoria:Vicky Nathaniel:Nate Madeleine:Maddie Dominic:Dom Penelope:Penny"
    " Sebastian:Seb Jennifer:Jen/Jenny Oliver:Ollie José:Pepe Francisco:Paco/Pancho María:Mari"
    " Dolores:Lola Concepción:Concha Manuel:Manolo Ignacio:Nacho Guadalupe:Lupe Giuseppe:Beppe"
    " Alessandro:Sandro Francesca:Franca Giovanni:Gianni Margaux:Margot Katarzyna:Kasia"
    " Małgorzata:Gosia Krzysztof:Krzysiek Agnieszka:Aga Ivan:Vanya Mikhail:Misha Dmitri:Dima"
    " Natalia:Natasha Stanisław:Staszek Wojciech:Wojtek Mohammed:Mohamed/Muhammad/Mo Fatima:Fatma"
    " Aisha:Ayesha Yusuf:Yousef Hassan:Hasan Ursula:Uschi Wolfgang:Wolf Lieselotte:Lilo Isabel:Isa"
)
_NICKNAMES = {
    name: nicknames.split("/")
    for name, _, nicknames in (entry.partition(":") for entry in _NICKNAME_LIST.split())
}
_SOUNDS = (
    ("ph", "f"), ("ck", "k"), ("ie", "y"), ("y", "i"), ("ei", "ie"), ("ll", "l"), ("tt", "t"),
    ("nn", "n"), ("ss", "s"), ("c", "k"), ("z", "s"), ("v", "w"), ("oo", "u"), ("th", "t"),
)  # fmt: skip
_LOOKALIKES = dict(zip("0123456789", "Ol7BASb1Bg", strict=True))
_STROKES = str.maketrans(
    {"Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "Đ": "D", "đ": "d", "ß": "ss", "ı": "i"}
)


def _neighbors(rows: Sequence[str]) -> dict[str, str]:
    places = {key: (y, x) for y, row in enumerate(rows) for x, key in enumerate(row)}
    near = {(0, -1), (0, 1), (1, -1), (1, 0), (-1, 0), (-1, 1)}
    return {
        key: "".join(other for other, (v, u) in places.items() if (v - y, u - x) in near)
        for key, (y, x) in places.items()
    }


_KEYBOARD = _neighbors(["qwertyuiop", "asdfghjkl", "zxcvbnm"]) | _neighbors(["1234567890"])


def _key_near(char: str, bits: int) -> str:
    near = _KEYBOARD.get(char.lower(), "aeiou")
    key = near[(bits >> 32) % len(near)]
    return key.upper() if char.isupper() else key


@lru_cache(maxsize=1 << 16)
def unaccented(text: str) -> str:
    """Write a text in plain Latin letters.

    >>> unaccented("Łukasz Müller-Groß")
    'Lukasz Muller-Gross'
    """
    parts = unicodedata.normalize("NFKD", text.translate(_STROKES))
    return "".join(char for char in parts if not unicodedata.combining(char))


@lru_cache(maxsize=1 << 16)
def lettered(name: str) -> str:
    """Write a name as e-mail addresses do.

    >>> lettered("O'Brien-Peña")
    'obrienpena'
    """
    return "".join(char for char in unaccented(name).lower() if char.isalpha())


def _replace(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at + 1 :]


def _substituted(text: str, bits: int) -> str:
    at = bits % len(text)
    return _replace(text, at, _key_near(text[at], bits))


def _inserted(text: str, bits: int) -> str:
    at = bits % len(text)
    return _replace(text, at, text[at] + _key_near(text[at].lower(), bits))


def _deleted(text: str, bits: int) -> str:
    return _replace(text, bits % len(text), "") or text


def _transposed(text: str, bits: int) -> str:
    at = bits % max(len(text) - 1, 1)
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _plain(text: str, _bits: int) -> str:
    return unaccented(text)


def _respelled(text: str, bits: int) -> str:
    found = [pair for pair in _SOUNDS if pair[0] in text]
    return text.replace(*found[bits % len(found)], 1) if found else text


def _initial(text: str, bits: int) -> str:
    return text[0] + "." * (bits & 1)


def _nickname(text: str, bits: int) -> str:
    names = _NICKNAMES.get(text)
    return names[bits % len(names)] if names else _initial(text, bits)


def _rejoined(text: str, bits: int) -> str:
    """Add a second surname, or keep only one of the two."""
    if "-" in text:
        return text.split("-")[bits & 1]
    return f"{text}-{SURNAMES.flat[bits % SURNAMES.size]}"


def _missing(_text: str, _bits: int) -> None:
    return None


def _slipped(text: str, bits: int) -> str:
    """Put another digit in place of one."""
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    at = digits[bits % len(digits)]
    return _replace(text, at, str((int(text[at]) + 1 + (bits >> 32) % 9) % 10))


def _misread(text: str, bits: int) -> str:
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    at = digits[bits % len(digits)]
    return _replace(text, at, _LOOKALIKES[text[at]])


def _date_slipped(text: str, bits: int) -> str:
    changed = text[:3] + _slipped(text[3:], bits)
    try:
        date.fromisoformat(changed)
    except ValueError:
        return f"{text[:8]}{int(text[8:]) % 28 + 1:02}"
    return changed


def _day_as_month(text: str, bits: int) -> str:
    year, month, day = text.split("-")
    return _date_slipped(text, bits) if int(day) > 12 else f"{year}-{day}-{month}"


def _year_only(text: str, _bits: int) -> str:
    return f"{text[:4]}-01-01"


def _abbreviated(text: str, bits: int) -> str:
    short = " ".join(_ABBREVIATIONS.get(word, word) for word in text.split(" "))
    return short if short == text else short + "." * (bits & 1)


def _last_word_lost(text: str, _bits: int) -> str:
    return text.rpartition(" ")[0] or text


def _flat_added(text: str, bits: int) -> str:
    number, _, street = text.partition(" ")
    return f"{number}{'ABCD'[bits & 3]} {street}"


def _reformatted(text: str, bits: int) -> str:
    area, middle, end = text.split(" ")
    styles = (f"{area}{middle}{end}", f"({area}) {middle}-{end}", f"{area}-{middle}-{end}",
              f"+990 {area[1:]} {middle} {end}", f"{area} {middle}{end}")  # fmt: skip
    return styles[bits % len(styles)]


def _provider_changed(text: str, bits: int) -> str:
    return f"{text.partition('@')[0]}@{DOMAINS[bits % len(DOMAINS)]}"


_TYPOS: dict[Edit, float] = {_substituted: 3, _inserted: 2, _deleted: 3, _transposed: 2}

EDITS: dict[str, dict[Edit, float]] = {
    "given_name": _TYPOS | {_nickname: 7, _initial: 3, _plain: 2, _respelled: 3, _missing: 1},
    "surname": _TYPOS | {_respelled: 4, _rejoined: 3, _plain: 2, _missing: 0.5},
    "birth_date": {_date_slipped: 5, _day_as_month: 3, _year_only: 1, _missing: 3},
    "street": _TYPOS
    | {_abbreviated: 10, _slipped: 4, _flat_added: 2, _last_word_lost: 2, _missing: 2},
    "city": _TYPOS | {_abbreviated: 3, _plain: 1, _missing: 2},
    "postcode": {_slipped: 4, _transposed: 3, _misread: 2, _missing: 2},
    "phone": {_slipped: 4, _transposed: 1, _misread: 1, _reformatted: 6, _missing: 5},
    "email": _TYPOS | {_provider_changed: 3, _missing: 8},
}
"""The errors of each field and their weights; the first always changes the text."""
