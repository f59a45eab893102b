"""Where the numbers of a worked solution come from: one case for each kind of doubt, in sentences of our own."""

from __future__ import annotations

import pytest

from draw_dataset import derive

CASES = {
    "two numbers of equal value, each by its unit": (
        "Pia fills 4 jars with 7 beads each and 7 tins with 9 beads each. How many beads are there?",
        "The jars hold 4*7=<<4*7=28>>28 beads. The tins hold 7*9=<<7*9=63>>63 beads.\n28+63=<<28+63=91>>91\n#### 91",
        "m = q1*q2 + q3*q4",
    ),
    "two results of equal value are both used": (
        "A hall has 5 rows of 12 seats and 6 rows of 10 benches. How many places are there?",
        "There are 5*12=<<5*12=60>>60 seats.\nThere are 6*10=<<6*10=60>>60 benches.\n60+60=<<60+60=120>>120\n#### 120",
        "m = q1*q2 + q3*q4",
    ),
    "the same numbers on two lines are two calculations": (
        "Ora knits 2 hats of 9 rows. Each scarf has twice as many rows as a hat. "
        "How many rows do the 2 hats and a scarf have?",
        "A scarf has twice 9 rows: 2*9=<<2*9=18>>18.\nThe 2 hats have 2*9=<<2*9=18>>18 rows.\n"
        "18+18=<<18+18=36>>36 rows\n#### 36",
        "m = q3*q2 + q1*q2",
    ),
    "the days that a line lists are counted": (
        "Ned swims 4 laps on Monday, Tuesday, Thursday and Sunday. How many laps does he swim?",
        "On Monday, Tuesday, Thursday and Sunday he swims 4*4=<<4*4=16>>16 laps.\n#### 16",
        "m = 4*q1",
    ),
    "a sum that nobody wrote down": (
        "Uma has 30 pens. She gives 2 pens to each of 6 boys and 3 pens to each of 5 girls. How many are left?",
        "The boys get 2*6=<<2*6=12>>12 pens.\nThe girls get 3*5=<<3*5=15>>15 pens.\n"
        "She has given 27, so 30-27=<<30-27=3>>3 are left.\n#### 3",
        "m = q1 - (q4*q5 + q2*q3)",
    ),
    "a dozen that is spelled out": (
        "Lea bakes 3 dozen rolls and sells 20 of them. How many are left?",
        "She bakes 3*12=<<3*12=36>>36 rolls.\nShe has 36-20=<<36-20=16>>16 left.\n#### 16",
        "m = q1 - q2",
    ),
    "a half that a solution doubles by": (
        "Sven is half as old as Olga. Two years ago he was 9. How old is Olga?",
        "Sven is 9+2=<<9+2=11>>11.\nOlga is double that, 11*2=<<11*2=22>>22.\n#### 22",
        "m = (q3 + q2)*(1/q1)",
    ),
    "a unit after a hyphen": (
        "A walk takes 25 minutes and a rest 15 minutes. Tim does both 3 times. How many minutes is that?",
        "Each time is a 25 + 15 = 40-minute trip.\n3*40=<<3*40=120>>120\n#### 120",
        "m = q3*(q1 + q2)",
    ),
    "a rank as a result": (
        "Bo is 4th in a race. He falls back 3 places. Which place is that?",
        "He is in 4+3=<<4+3=7>>7th place.\n#### 7",
        "m = q1 + q2",
    ),
    "a fraction that ends like a rank": (
        "Fay has 24 cards. 1/3rd of them are red. How many are red?",
        "24*1/3=<<24*1/3=8>>8\n#### 8",
        "m = q1*q2",
    ),
    "an equation that is solved for its name": (
        "Joe has 4 times as many stamps as Ann. Together they have 50. How many has Joe?",
        "Let x be what Ann has.\nThe equation is 4x + x = 50.\nAdding like terms makes 5x = 50.\n"
        "Dividing 50 by 5 gives x, which is <<50/5=10>>10.\nSince x = 10, Joe has 4*10 = 40.\n#### 40",
        "m = q1*q2/(1 + q1)",
    ),
    "an equation that ends in its name": (
        "Joe has 4 times as many stamps as Ann. Together they have 50. How many has Ann?",
        "Let x be what Ann has.\n4x + x = 50\n5x = 50\nx = <<50/5=10>>10\n#### 10",
        "m = q2/(1 + q1)",
    ),
    "both sides with a minus": (
        "Pat is 45, which is 5 less than twice the age of Lou. How old is Lou?",
        "Let x be the age of Lou.\nThen 45=(2*x)-5.\nThus x=25.\n#### 25",
        "m = (q2 + q1)/q3",
    ),
    "numbers with a blank before the thousands": (
        "A barn costs $400 000. Fees are 3% of it. What does all that cost?",
        "The fees are $400 000 x 3/100 = $12 000.\nAll that costs $400 000 + $12 000 = $412 000.\n#### 412000",
        "m = q1 + q1*(q2/100)",
    ),
    "thousands as a k": (
        "Sue earns 50k a year. She gets a rise of 10%. What does she earn now?",
        "The rise is 50000*.1=$<<50000*.1=5000>>5000.\nShe earns 50000+5000=$<<50000+5000=55000>>55,000\n#### 55000",
        "m = q1 + q1*(q2/100)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_that_are_meant(name: str) -> None:
    question, solution, expected = CASES[name]
    (row,) = derive([{"question": question, "answer": solution}], preset="gsm8k")
    assert row["derivation"] == expected, row["alternatives"]


def test_who_mentions_a_number_twice_leaves_it_open_and_accepts_either() -> None:
    question = "A ticket costs $8. Rita buys 3 tickets. What does she pay for the 3 tickets?"
    (row,) = derive([{"question": question, "answer": "3*8=<<3*8=24>>24\n#### 24"}], preset="gsm8k")
    assert row["status"] == "ambiguous"
    assert {row["derivation"], *row["alternatives"]} == {"m = q2*q1", "m = q3*q1"}


def test_who_shares_is_seldom_what_is_shared() -> None:
    question = "Al has 3 nuts, Bea has 5 nuts and Cy has 7 nuts. They share them. How many nuts does each get?"
    solution = "Together they have 3+5+7=<<3+5+7=15>>15 nuts.\nEach gets 15/3=<<15/3=5>>5 nuts.\n#### 5"
    (row,) = derive([{"question": question, "answer": solution}], preset="gsm8k")
    assert "m = (q1 + q2 + q3)/3" in (row["derivation"], *row["alternatives"])


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        ("So X = 10.\n#### 10", "reference does not come to its own answer"),
        ("He needs 10 + 57 = <<10+57=67>>67\n#### 67", "number not in the text: 57"),
        ("He needs 10 + 7 = <<10+7=17>>17\n#### 17", "number not in the text: 7"),
        ("He needs 2.5 rows, so 10*2.5 = <<10*2.5=25>>25\n#### 25", "number not in the text: 2.5"),
    ],
    ids=["a number of the text alone", "a large number", "a number that is added", "a number that is not whole"],
)
def test_what_nobody_can_have_counted_is_refused(solution: str, reason: str) -> None:
    (row,) = derive([{"question": "Gus has 10 nails. How many does he need?", "answer": solution}], preset="gsm8k")
    assert row["status"] == "refused"
    assert row["reason"].startswith(reason)


def test_hours_between_two_times_are_refused_as_times() -> None:
    question = "Gus works from 9:00 until 5:30 for $10 an hour. What does he earn?"
    (row,) = derive([{"question": question, "answer": "8.5*10=$<<8.5*10=85>>85\n#### 85"}], preset="gsm8k")
    assert row["reason"] == "clock time: 8.5"
