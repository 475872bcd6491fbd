"""UCI water treatment: daily sensor readings whose classes are lists of dates in the description."""

import re
from datetime import date, timedelta

from mr.datasets.dataset import Parsed
from mr.datasets.parsers.tables import numeric, read_rows
from mr.datasets.parsers.uci import with_missing

CLASS_HEADING = re.compile(r"--\s*Class\s+(\d+)\s*:\s*(.*)")
DATES = re.compile(r"D-(\d+/\d+/\d+)(?:\s+to\s+D-(\d+/\d+/\d+))?")
# The description says "D-4/8/91  D-9/8/91 to D-26/8/91": a "to" was lost, and these four days with it.
LOST_DAYS = {date(1991, 8, day): 9 for day in (5, 6, 7, 8)}


def parse_day(text: str) -> date:
    day, month, year = (int(part) for part in text.split("/"))
    return date(1900 + year, month, day)


def read_classes(text: str) -> tuple[dict, dict]:
    """Class number of each listed day, and the heading of each class."""
    section = text[text.index("9. Class Distribution") :]
    _, *fields = CLASS_HEADING.split(section)
    class_of_day, headings = {}, {}
    for number, heading, body in zip(map(int, fields[::3]), fields[1::3], fields[2::3], strict=True):
        headings[number] = heading.strip()
        for first, last in DATES.findall(body):
            day, end = parse_day(first), parse_day(last or first)
            while day <= end:
                if class_of_day.setdefault(day, number) != number:
                    raise ValueError(f"{day} is listed in classes {class_of_day[day]} and {number}")
                day += timedelta(days=1)
    return class_of_day, headings


def water(files, *, missing="mean") -> Parsed:
    """527 days, 38 sensors, 13 plant states, most of them rare."""
    with open(files["water-treatment.names"], encoding="latin-1") as stream:
        class_of_day, headings = read_classes(stream.read())
    rows = read_rows(files["water-treatment.data"])
    days = [parse_day(row[0].removeprefix("D-")) for row in rows]
    numbers = [class_of_day.get(day) or LOST_DAYS[day] for day in days]
    X = numeric(row[1:] for row in rows)
    notes = "5-8 August 1991, which the description lost, are class 9; 9 of the 13 classes have at most 4 days"
    parsed = with_missing(X, numbers, missing, notes=notes)
    return parsed._replace(class_names=tuple(f"{n} {headings[int(n)]}" for n in parsed.class_names))
