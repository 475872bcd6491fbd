"""The scoreboard as a picture and as tables."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Polygon, Rectangle

from experiments.plotting.style import BLUE, GREEN, ORANGE, SKY, VERMILION, use_style
from experiments.scoreboard.scoreboard import cells, compare
from experiments.scoreboard.verdict import VERDICTS

# colour, letter (for greyscale), colour of the letter
MARKS = {
    "replicated, exact": (BLUE, "E", "white"),
    "replicated, match": (SKY, "M", "black"),
    "demonstrated": (ORANGE, "D", "black"),
    "open, better": (GREEN, "b", "white"),
    "open, worse": (VERMILION, "w", "white"),
    "not comparable": ("#bbbbbb", "T", "black"),
    "no data": ("white", "N", "black"),
    "pending": ("white", "", "black"),
}
METRIC = {"error_pct": "error", "prbep_pct": "PRBEP", "accuracy_pct": "accuracy", "test_seconds_per_point": "seconds"}
PAPERS = ("belkin2006", "tsang2006", "chen2012", "zhang2015", "wang2017")
WIDTH, GAP, LETTER = 50, 1.5, 0.37  # of the page, between blocks, of a letter of a label; all in squares


def mark(status: str, verdict: str) -> str:
    """Name of a cell's mark: its status with the verdict, or the verdict of a cell that was not judged."""
    return status if status == "demonstrated" else f"{status}, {verdict}" if status else verdict


def scoreboard_picture(board: pd.DataFrame):
    """One square per printed cell, coloured and lettered by status, one block per table; a flag marks the corner."""
    use_style()
    board = cells(board)
    board = board.assign(mark=[mark(*pair) for pair in zip(board["status"], board["verdict"], strict=True)])
    groups = board.groupby(["paper", "table"], sort=False)
    blocks = sorted(((key, _grid(group)) for key, group in groups), key=lambda block: PAPERS.index(block[0][0]))
    placed, height = _place(blocks)
    fig, ax = plt.subplots(figsize=(WIDTH * 0.2, (height + 4) * 0.2))
    for (title, grid), (x, y) in placed:
        _draw_block(ax, title, grid, x, y)
    _draw_legend(ax, board, height)
    ax.set(xlim=(-0.5, WIDTH), ylim=(height + 4, -0.5), aspect="equal")
    ax.axis("off")
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig


def show_tables(board: pd.DataFrame) -> None:
    """Every table side by side with ours, under headings, in a notebook."""
    from IPython.display import Markdown, display

    for paper, table in board[["paper", "table"]].drop_duplicates().itertuples(index=False):
        part = board[(board["paper"] == paper) & (board["table"] == table)]
        counts = part["verdict"].value_counts().reindex(list(VERDICTS)).dropna().astype(int)
        shown = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        settings = "; ".join(s for s in part["setting"].unique() if s) or "not stated"
        display(Markdown(f"### {paper}, Table {table}\n\n{shown}. Setting: {settings}. Cells: paper | ours, verdict."))
        with pd.option_context("display.max_colwidth", None, "display.max_rows", None, "display.max_columns", None):
            display(compare(board, paper, table))


def _grid(group: pd.DataFrame) -> pd.DataFrame:
    """Mark and flags of one table's cells, methods x (data set, and setting or metric where there are several)."""
    column = group["dataset"]
    for name, short in (("metric", METRIC), ("setting", {})):
        if group[name].nunique() > 1 and group.duplicated(["dataset", "method"]).any():
            column = column + " " + group[name].map(lambda text, short=short: short.get(text, text.split(",")[0]))
            break
    shown = group.assign(column=column, cell=list(zip(group["mark"], group["flags"], strict=True)))
    wide = shown.pivot(index="method", columns="column", values="cell")
    return wide.reindex(index=group["method"].unique(), columns=column.unique())


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
        for j, cell in enumerate(row):
            if isinstance(cell, tuple):
                _square(ax, x + j, y + i, *cell)


def _square(ax, x: float, y: float, name: str, flags: str = "") -> None:
    color, letter, ink = MARKS[name]
    ax.add_patch(Rectangle((x + 0.05, y + 0.05), 0.9, 0.9, facecolor=color, edgecolor="0.3", linewidth=0.5))
    ax.text(x + 0.5, y + 0.52, letter, color=ink, fontsize=6, ha="center", va="center")
    if flags:
        corner = [(x + 0.6, y + 0.05), (x + 0.95, y + 0.05), (x + 0.95, y + 0.4)]
        ax.add_patch(Polygon(corner, facecolor="black", edgecolor="white", linewidth=0.4))


def _draw_legend(ax, board: pd.DataFrame, height: float) -> None:
    entries = [(name, name, (board["mark"] == name).sum(), "") for name in MARKS]
    entries.append(("pending", "corner: flagged", (board["flags"] != "").sum(), "any"))
    for i, (name, text, count, flags) in enumerate(entries):
        x, y = i % 5 * 10, height + 1 + i // 5 * 1.5
        _square(ax, x, y, name, flags)
        ax.text(x + 1.3, y + 0.5, f"{text} ({count})", fontsize=6.5, va="center")
