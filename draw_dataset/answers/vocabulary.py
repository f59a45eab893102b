"""The words that decide how an equation inside an answer is read."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    """the a an of for by in to at is are was were be been will would can could that this these those his her their its
    our my your we he she it they there and so then thus therefore hence which has have had get gives gave now if when
    as since because let call say us each per on from with do does also just simply find need know given i.e"""
)
"""Words that do not tell one named quantity from another."""

LEADING = _words(
    """so then thus hence therefore and or we get gets have has gives give giving given becomes become since because
    where when which that this is are means if now but also implies yields let simplify simplifying substitute
    substituting again using use write set say call know see find note check answer finally first second next be can
    will must should follows namely obtain with as equation expression solve solving he she they you i it was were had
    would could equals gave represents represent makes make leaves earns pays spends needs sells buys bought runs eats
    uses used sold takes took drinks gains saves saved there's that's it's equal by"""
)
"""Words after which an equation stands complete."""

PART_OF_NAME = _words("of for in with after at from to on every each per first last next than by")
"""Words between which and a number no new expression begins: cost of 3 apples."""

LEADS_IN = _words("total sum product difference equation value result out one half all rest")
"""Words behind which "of" leads in: a total of 3 apples + 4 apples."""

UNITS = _words(
    """dollar buck cent second sec minute min hour hr day week month year yr inch foot feet ft yard yd mile mi mm cm
    centimeter meter metre km kilometer ml milliliter liter litre gallon gal quart qt pint pt ounce oz cup gram gm g kg
    kilogram mg pound lb ton mph kph degree person people item each unit ticket page word dozen box bag bottle pack egg
    apple piece game class student car"""
)
"""Words that are units behind a stroke: $0.60/lb."""

ABBREVIATIONS = _words("lb lbs oz ft in hr hrs min mins sec mi gal qt pt yd tbsp tsp mr mrs dr st approx no vs")
"""Words whose full stop does not end a sentence."""

COPULAS = _words("is are be was were represents represent equals becomes been")
"""Words that may stand for an equals sign."""

FILLERS = _words(
    """the also just only then now given represented by as equal to approximately about simply therefore called
    exactly"""
)
"""Words that may stand between an equals sign and what follows."""

COMPARING = _words(
    """than more less older younger times greater fewer longer shorter faster slower larger smaller of percent and plus
    minus"""
)
"""Words that make the number before them part of a comparison: B is 4 years older than E."""
