"""One right system written in many ways, and wrong ones: answers of our own to one problem of our own."""

from __future__ import annotations

QUESTION = "A theatre sold 120 tickets for $ 940 . Adults paid $ 9 and children paid $ 5 . How many of each were sold ?"
NUMBERS = ("120", "940", "9", "5")
GOLD = "m + n = q1; q3*m + q4*n = q2"
SOLUTIONS = (85.0, 35.0)

RIGHT: dict[str, str] = {
    "plain": "x + y = 120\n9x + 5y = 940\nx = 85, y = 35",
    "let and prose": (
        "Let a be the number of adult tickets and c the number of child tickets. Since 120 tickets were sold, "
        "a + c = 120. The takings give 9a + 5c = 940. So a = 85 and c = 35."
    ),
    "q-notation": "x + y = q1; q3*x + q4*y = q2",
    "capital Q": "x + y = Q1\nQ3*x + Q4*y = Q2",
    "q with an underscore": "x + y = q_1\nq_3 x + q_4 y = q_2",
    "q with a subscript sign": "x + y = q₁\nq₃x + q₄y = q₂",
    "q in braces": r"$x + y = q_{1}$ and $q_{3}x + q_{4}y = q_{2}$",
    "marked numbers": "x + y = [q1: 120]\n[q3: 9]*x + [q4: 5]*y = [q2: 940]",
    "numbered lines": "1. x + y = 120\n2. 9x + 5y = 940",
    "numbers in brackets": "(1) x + y = 120\n(2) 9x + 5y = 940",
    "labels behind": "x + y = 120   (1)\n9x + 5y = 940   (equation 2)",
    "bullets": "- x + y = 120\n- 9x + 5y = 940",
    "starred bullets": "* x + y = 120\n* 9x + 5y = 940",
    "bold": "**x + y = 120**\n**9x + 5y = 940**\n**Answer:** 85 adults and 35 children",
    "code marks": "`x + y = 120` and `9*x + 5*y = 940`",
    "fence": "```\nx + y = 120\n9x + 5y = 940\n```",
    "dollar math": "$x + y = 120$ and $9x + 5y = 940$, so $x = 85$.",
    "display math": "\\[ x + y = 120 \\]\n\\[ 9x + 5y = 940 \\]\n\\boxed{85} and \\boxed{35}",
    "align": "\\begin{align*} x + y &= 120 \\\\ 9x + 5y &= 940 \\end{align*}",
    "cases": "$$\\begin{cases} x + y = 120 \\\\ 9x + 5y = 940 \\end{cases}$$",
    "cdot": r"\(x + y = 120\), \(9 \cdot x + 5 \cdot y = 940\)",
    "text in math": r"\(x + y = 120 \text{ tickets}\) and \(\$9x + \$5y = \$940\)",
    "frac": r"\(\frac{x + y}{1} = 120\), \(x = \frac{940 - 5y}{9}\)",
    "python": "```python\nx, y = symbols('x y')\nprint(solve([Eq(x + y, 120), Eq(9*x + 5*y, 940)], [x, y]))\n```",
    "python assignments": "```python\ntotal = 120\nmoney = 940\nadults = (money - 5 * total) / (9 - 5)\n"
    "children = total - adults\nprint(f'{adults} adults')\n```",
    "json": '{"equations": ["x + y = 120", "9x + 5y = 940"], "answer": [85, 35]}',
    "json in a fence": (
        'Here it is:\n```json\n{"equations": ["x + y = 120", "9x + 5y = 940"], "answer": "85 and 35"}\n```'
    ),
    "marked equations": "[[eq x + y = 120]] [[eq 9x + 5y = 940]]",
    "after thinking": "<think>x + y = 940? No, that is the money.</think>x + y = 120, 9x + 5y = 940",
    "one unknown": "Let x be the adults, so 120 - x are children. Then 9x + 5(120 - x) = 940, 4x = 340, x = 85.",
    "one unknown, expanded": "With x adults there are 120 - x children: 9x + 600 - 5x = 940, so x = 85.",
    "substitution": "y = 120 - x. 9x + 5y = 940.",
    "words as sides": "Adult tickets + child tickets = 120\n9 * adult tickets + 5 * child tickets = 940",
    "words as products": "9 x Adult tickets + 5 x Child tickets = 940, and Adult tickets + Child tickets = 120",
    "units": "x tickets + y tickets = 120 tickets\n$9x + $5y = $940",
    "comments": "x + y = 120 (all tickets were sold)\n9x + 5y = 940 (the total takings)",
    "other way round": "120 = x + y\n940 = 9x + 5y",
    "scaled": "2x + 2y = 2 * 120\n18x + 10y = 2 * 940",
    "in cents": "x + y = 120\n900x + 500y = 94000",
    "arithmetic": (
        "If all were children they would bring 120 * 5 = 600. The rest is 940 - 600 = 340. An adult pays 9 - 5 = 4 "
        "more, so there are 340 / 4 = 85 adults and 120 - 85 = 35 children."
    ),
    "calculator marks": (
        "If all were children: 120*5=<<120*5=600>>600. The rest: 940-600=<<940-600=340>>340. Each adult pays "
        "9-5=<<9-5=4>>4 more, so 340/4=<<340/4=85>>85 adults, and 120-85=<<120-85=35>>35 children."
    ),
    "table": "| step | equation |\n|---|---|\n| count | x + y = 120 |\n| money | 9x + 5y = 940 |",
    "equals in words": "x + y equals 120 and 9x + 5y is equal to 940",
    "retry": (
        "x + y = 940 and 9x + 5y = 120 gives y = 2085. That does not make sense, so I made a mistake. "
        "Let me try again: x + y = 120 and 9x + 5y = 940. So x = 85 and y = 35."
    ),
    "slip": "x + y = 120, 9x + 5y = 940. Then 4x = 360, so x = 90 and y = 30.",
}

WRONG: dict[str, str] = {
    "prices swapped": "Let a be the adults, c the children. a + c = 120 and 9a - 5c = 940.",
    "totals swapped": "x + y = 940 and 9x + 5y = 120",
    "one price": "x + y = 120, 9x + 9y = 940",
    "sum of prices": "14x = 940",
    "difference of counts": "x - y = 120 and 9x + 5y = 940",
    "wrong number in q-notation": "x + y = q2; q3*x + q4*y = q1",
}

NOTHING: dict[str, str] = {
    "only numbers": "85 and 35",
    "a sentence": "There were 85 adults and 35 children.",
    "a refusal": "I am sorry, I cannot help with that.",
    "empty": "",
    "blank": " \n ",
}
