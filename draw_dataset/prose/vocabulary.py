"""The words that decide how an equation inside prose is read: units, words that calculate, name, compare or lead in."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNITS: dict[str, tuple[str, str]] = {
    word: (family, unit)
    for family, units in {
        "money": {"dollar": "dollar dollars bucks usd", "cent": "cent cents ¢"},
        "time": {
            "second": "sec secs second seconds", "minute": "min mins minute minutes", "hour": "hr hrs hour hours",
            "day": "day days", "week": "week weeks", "month": "month months", "year": "yr yrs year years",
        },
        "length": {
            "inch": "inch inches", "foot": "ft foot feet", "yard": "yd yds yard yards", "mile": "mi mile miles",
            "mm": "mm millimeter millimeters", "cm": "cm centimeter centimeters centimetres",
            "meter": "meter meters metre metres", "km": "km kms kilometer kilometers kilometres",
        },
        "volume": {
            "ml": "ml mls milliliter milliliters millilitres cc", "liter": "liter liters litre litres ltr ltrs",
            "gallon": "gal gals gallon gallons", "quart": "qt qts quart quarts", "pint": "pt pts pint pints",
            "ounce": "oz ozs ounce ounces", "cup": "cup cups",
        },
        "weight": {
            "gram": "gm gms gram grams", "kg": "kg kgs kilogram kilograms", "mg": "mg",
            "pound": "lb lbs pound pounds", "ton": "ton tons",
        },
        "speed": {"mph": "mph", "kph": "kph kmh", "knot": "knots"},
        "angle": {"degree": "deg degree degrees"},
        "work": {"job": "job jobs"},
        "count": {"unit": "units unit"},
    }.items()
    for unit, words in units.items()
    for word in words.split()
}  # fmt: skip
"""A unit's family and itself by each of its spellings: two units of one family in an equation must not be dropped."""

UNIT_LETTERS: dict[str, tuple[str, str]] = {
    "l": ("volume", "liter"), "g": ("weight", "gram"), "m": ("length", "meter"),
    "h": ("time", "hour"), "s": ("time", "second"),
}  # fmt: skip
"""Letters that may be a unit after a number, with family and unit."""

CALCULATING = _words(
    """twice half double doubled triple tripled thrice quadruple times time plus minus less more than percent per of by
    sum difference product quotient ratio multiplied divided divide multiply subtract subtracting add adding increased
    decreased squared cubed square cube root hundred thousand million billion dozen third thirds fourth fourths quarter
    fifth both each into from over under average mean total exceeds fewer older younger longer shorter greater smaller
    faster slower between at to the a an"""
)
"""Words that take part in a calculation: an equation standing right next to one is not read without them."""

INSTRUCTIONS = _words("subtract subtracting add adding divide multiply each both to at the total average from")
"""Those of them that begin an instruction for the next step if they stand after an equation."""

LEADING = _words(
    """so then thus hence therefore and or we get have has gives give giving given becomes become equation equations eq
    solve solving solved since because where when which that this is are means if now but also implies implying
    yields yield let simplify simplifying simplified substitute substituting again using use write set equals say
    call know see find note check answer solution result finally first second next i you it its as simply rewrite
    combine combining collect factor expand distribute distributing cancel plug plugging isolate with us our be can
    will must should follows namely i.e e.g ie eg therefor gets obtain obtained obtains system approximately about
    approx exactly left only rounded respectively here there expression he she they was were had would could gave
    represents represent makes make leaves earns pays spends needs sells buys bought runs eats uses used sold takes
    took drinks gains saves saved there's that's it's equal by"""
)
"""Words after which, or before which, an equation stands complete."""

APPROXIMATE = _words("approximately about approx around roughly nearly almost rounded")
"""Words that say that a value is rounded."""

FUNCTIONS = _words("sqrt root abs log ln sin cos tan exp")
"""Functions: with one of an unknown an equation is not linear."""

COUNTED = _words(
    """person people item each ticket page word dozen box bag bottle pack egg apple piece game class student car g"""
)
"""Further words that are units after a stroke: $0.60/egg."""

STOP_WORDS = _words(
    """the a an of for by in to at is are was were be been will would can could that this these those his her their its
    our my your we he she it they there and so then thus therefore hence which has have had get gives gave now if when
    as since because let call say us each per on from with do does also just simply find need know given i.e"""
)
"""Words that do not tell one named quantity from another."""

PART_OF_NAME = _words("of for in with after at from to on every each per first last next than by")
"""Words between which and a number no new expression begins: cost of 3 apples."""

DETERMINERS = _words("the remaining other new old original same full")
"""Words that may stand between such a word and the number."""

AGO = _words("ago later earlier hence before from")
"""Words after a time that make it part of a name: age 8 years ago."""

LEADS_IN = _words("total sum product difference equation value result out one half all rest")
"""Words after which "of" leads in: a total of 3 apples + 4 apples."""

ABBREVIATIONS = _words("lb lbs oz ft in hr hrs min mins sec mi gal qt pt yd tbsp tsp mr mrs dr st approx no vs")
"""Words whose full stop does not end a sentence."""

COPULAS = _words("is are be was were represents represent equals becomes been")
"""Words that may stand for an equals sign."""

FILLERS = _words(
    """the also just only then now given represented by as equal to approximately about simply therefore called
    exactly"""
)
"""Words that may stand between an equals sign and what follows."""

JOINING = _words("minus plus and times less")
"""Words that join what stands in brackets after other words."""

COMPARING = _words(
    """than more less older younger times greater fewer longer shorter faster slower larger smaller of percent and plus
    minus"""
)
"""Words that make the number before them part of a comparison: B is 4 years older than E."""
