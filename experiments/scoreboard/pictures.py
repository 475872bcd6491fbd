"""The scoreboard as a picture and as tables."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Rectangle

from experiments.plotting.style import BLUE, GREEN, SKY, VERMILION, use_style
from experiments.scoreboard import VERDICTS, compare

# colour, letter (for greyscale), colour of the letter
MARKS = {
    "exact": (BLUE, "E", "white"),
    "match": (SKY, "M", "black"),
    "better": (GREEN, "B", "white"),
    "worse": (VERMILION, "W", "white"),
    "not comparable": ("#bbbbbb", "T", "black"),
    "no data": ("white", "N", "black"),
    "pending": ("white", "", "black"),
}
METRIC = {"error_pct": "error", "prbep_pct": "PRBEP", "accuracy_pct": "accuracy", "test_seconds_per_point": "seconds"}
PAPERS = ("belkin2006", "tsang2006", "chen2012", "zhang2015", "wang2017")
WIDTH, GAP, LETTER = 50, 1.5, 0.37  # of the page, between blocks, of a letter of a label; all in squares


def scoreboard_picture(board: pd.DataFrame):
    """One square a printed cell, coloured and lettered by verdict, in blocks of one table each."""
    use_style()
    groups = board.groupby(["paper", "table"], sort=False)
    blocks = sorted(((key, _grid(group)) for key, group in groups), key=lambda block: PAPERS.index(block[0][0]))
    placed, height = _place(blocks)
    fig, ax = plt.subplots(figsize=(WIDTH * 0.2, (height + 3) * 0.2))
    for (title, grid), (x, y) in placed:
        _draw_block(ax, title, grid, x, y)
    _draw_legend(ax, board["verdict"].value_counts(), height)
    ax.set(xlim=(-0.5, WIDTH), ylim=(height + 3, -0.5), aspect="equal")
    ax.axis("off")
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig


def show_tables(board: pd.DataFrame) -> None:
    """Every table side by side with ours, under headings, in a notebook."""
    from IPython.display import Markdown, display

    for paper, table in board[["paper", "table"]].drop_duplicates().itertuples(index=False):
        part = board[(board["paper"] == paper) & (board["table"] == table)]
        counts = part["verdict"].value_counts().reindex(list(VERDICTS)).dropna().astype(int)
        settings = "; ".join(s for s in part["setting"].unique() if s)
        heading = f"### {paper}, Table {table}\n\n{', '.join(f'{n} {verdict}' for verdict, n in counts.items())}."
        display(Markdown(heading + (f" Setting: {settings}." if settings else "") + " Cells: paper | ours, verdict."))
        with pd.option_context("display.max_colwidth", None, "display.max_rows", None, "display.max_columns", None):
            display(compare(board, paper, table))


def _grid(group: pd.DataFrame) -> pd.DataFrame:
    """Verdicts of one table, methods x (data set, and setting or metric where the table has several)."""
    column = group["dataset"]
    for name, short in (("metric", METRIC), ("setting", {})):
        if group[name].nunique() > 1 and group.duplicated(["dataset", "method"]).any():
            column = column + " " + group[name].map(lambda text, short=short: short.get(text, text.split(",")[0]))
            break
    return (
        group.assign(column=column)
        .pivot(index="method", columns="column", values="verdict")
        .reindex(index=group["method"].unique(), columns=column.unique())
    )


def _margins(grid: pd.DataFrame) -> tuple[float, float]:
    """Room for the labels of the rows and of the columns (under a title line)."""
    return LETTER * max(map(len, grid.index)) + 0.5, LETTER * max(map(len, grid.columns)) + 2


def _place(blocks):
    """Positions of the blocks, left to right and then down; and the height of the page."""
    placed, x, y, row = [], 0, 0, 0
    for key, grid in blocks:
        left, top = _margins(grid)
        width, height = max(left + grid.shape[1], 10) + GAP, top + grid.shape[0] + GAP
        if x and x + width > WIDTH:
            x, y, row = 0, y + row, 0
        placed.append(((f"{key[0]}, Table {key[1]}", grid), (x, y)))
        x, row = x + width, max(row, height)
    return placed, y + row


def _draw_block(ax, title: str, grid: pd.DataFrame, x: float, y: float) -> None:
    ax.text(x, y + 0.5, title, fontsize=9, fontweight="bold", va="center")
    left, top = _margins(grid)
    x, y = x + left, y + top
    for j, name in enumerate(grid.columns):
        ax.text(x + j + 0.5, y - 0.2, name, rotation=90, fontsize=6, ha="center", va="bottom")
    for i, (method, row) in enumerate(grid.iterrows()):
        ax.text(x - 0.3, y + i + 0.5, method, fontsize=6, ha="right", va="center")
        for j, verdict in enumerate(row):
            if isinstance(verdict, str):
                _square(ax, x + j, y + i, verdict)


def _square(ax, x: float, y: float, verdict: str) -> None:
    color, letter, ink = MARKS[verdict]
    edge = "0.75" if verdict == "pending" else "0.3"
    ax.add_patch(Rectangle((x + 0.05, y + 0.05), 0.9, 0.9, facecolor=color, edgecolor=edge, linewidth=0.5))
    ax.text(x + 0.5, y + 0.52, letter, color=ink, fontsize=6, ha="center", va="center")


def _draw_legend(ax, counts: pd.Series, height: float) -> None:
    for i, verdict in enumerate(VERDICTS):
        _square(ax, i * 7, height + 1, verdict)
        ax.text(i * 7 + 1.3, height + 1.5, f"{verdict} ({counts.get(verdict, 0)})", fontsize=6.5, va="center")
