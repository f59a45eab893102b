"""Problems of our own in the shapes of other datasets, for the tests of sources."""

from __future__ import annotations

GSM8K = [
    {
        "id": 40,
        "question": "Mia packs 6 boxes with 8 jars each. She drops 5 jars and sells the rest for $3 per jar. "
        "How much does she earn?",
        "answer": "She packs 6 * 8 = <<6*8=48>>48 jars.\nShe can sell 48 - 5 = <<48-5=43>>43 of them.\n"
        "She earns 43 * 3 = $<<43*3=129>>129.\n#### 129",
    },
    {
        "id": 41,
        "question": "A club has 40 members. 25% of them are new, and half of the new ones are under 20. "
        "How many new members are under 20?",
        "answer": "There are 40*.25=<<40*.25=10>>10 new members.\nOf these 10/2=<<10/2=5>>5 are under 20.\n#### 5",
    },
    {
        "id": 42,
        "question": "Ed runs 4 miles every day. How many miles is that in a week?",
        "answer": "A week has 7 days, so he runs 4*7=<<4*7=28>>28 miles.\n#### 28",
    },
    {
        "id": 43,
        "question": "Lou has 9 plums and eats 2. How many are left?",
        "answer": "He has 9-2=<<9-2=7>>7 plums.\n#### 8",
    },
]
"""The last one contradicts itself."""

SVAMP = [
    {
        "ID": "s-1",
        "Body": "Tom has 76 cards and gives away 25",
        "Question": "How many cards has he now?",
        "Equation": "( 76.0 - 25.0 )",
        "Answer": 51.0,
        "Type": "Subtraction",
    },
    {
        "ID": "s-2",
        "Body": "A shelf holds 4 books and 4 boxes.",
        "Question": "How many books fit on 3 shelves?",
        "Equation": "( 4.0 * 3.0 )",
        "Answer": 12.0,
        "Type": "Multiplication",
    },
]

MAWPS = [
    {
        "Question": "Ida picks number0 pears and number1 plums . How many fruits is that ?",
        "Numbers": "12.0 5.0",
        "Equation": "+ number0 number1",
        "Answer": "17.0",
    },
    {
        "Question": "A tin has number0 nuts and number1 seeds . Ken eats number2 nuts . How many nuts are left ?",
        "Numbers": "30.0 8.0 8.0",
        "Equation": "- number0 number2",
        "Answer": "22.0",
    },
]

FORMULAS = {
    "7+2=9": ("9 (apples)", "Ada has 7 apples and Bo has 2 apples."),
    "43+19=62; 62-7=55": ("55 (dollars)", "Ada earns $43 and $19. She spends $7."),
    "2 (dime)*10 (cent/dime)+3=23 (cent)": ("23 (cents)", "Ada has 2 dimes and 3 cents."),
    "x:Ada's age; (x+18)-15=9": ("6 (years old)", "Add 18 to Ada's age and take away 15: that is 9."),
    "3:4=24:32": ("32 (cats)", "For 3 dogs there are 4 cats. There are 24 dogs."),
    "12:16=3:4": ("3:4", "What is the ratio of 12 cats to 16 dogs?"),
    "15/3=5 r0": ("5 (bags)", "Put 15 nuts into bags of 3."),
}
"""Formulas that are derivations, with answer and question."""

REFUSED = {
    "LCM[12,15]=60": "least common multiple",
    "GCD(18,12)=6": "greatest common divisor",
    "47/6=7 r5": "division with remainder",
    "2*10=20 cents > 18 cents": "comparison",
    "3, 6, 9, 12": "number pattern",
    "(8*60 (min/hour)+30)/60=8 r30; hh:mm=8:30": "clock time",
    "x >= 12": "inequality",
    "12^(1/2)=4": "root or power of an unknown",
    "12+18=31": "reference does not come to its own answer",
    "12*33=396": "number not in the text",
    "12/(x-y)+18/(x+y)=3; x=2*y*y": "not linear in its unknowns",
    "x+y=12": "equations without one solution",
    "12+*18=30": "equations that cannot be read",
}
"""Formulas that are none, for a text with the numbers 12, 15 and 18."""


def asdiv_xml(formulas: dict[str, tuple[str, str]]) -> str:
    """Return problems in the shape of ASDiv."""
    from xml.sax.saxutils import escape

    problems = "".join(
        f'<Problem ID="a-{number}" Grade="1"><Body>{escape(body)}</Body><Question>How many?</Question>'
        f"<Answer>{escape(answer)}</Answer><Formula>{escape(formula)}</Formula></Problem>\n"
        for number, (formula, (answer, body)) in enumerate(formulas.items(), 1)
    )
    return f'<?xml version="1.0" encoding="UTF-8" ?>\n<File><ProblemSet>\n{problems}</ProblemSet></File>\n'
