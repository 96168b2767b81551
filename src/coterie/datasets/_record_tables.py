"""Names of people, streets and cities, for synthetic records."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats

Words: TypeAlias = NDArray[np.object_]


class Origin(NamedTuple):
    """Names of one origin: common ones by frequency, and the parts of rarer surnames."""

    given_names: str
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
    """Return the cumulative sums of weights, scaled such that the last is 1."""
    sums = np.cumsum(weights)
    shares: Floats = sums / sums[-1]
    return shares


def _words(rows: Sequence[str | Sequence[str]]) -> Words:
    return np.array(rows, dtype=object)


ORIGIN_SHARES = cumulative(np.array([5.0, 4, 3, 2, 2, 2, 2, 1]))
GIVEN_NAMES = _words([origin.given_names.split() for origin in _ORIGINS])
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
# Steps of 37, coprime to the number of cities, mix the patterns of names among large cities.
CITIES = _words([_CITIES[37 * rank % len(_CITIES)] for rank in range(len(_CITIES))])

DOMAINS = ("postbox.example", "quickmail.example", "letterbox.example", "mailhub.example")
