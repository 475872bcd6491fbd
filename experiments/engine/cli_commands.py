"""What each subcommand does; imports stand inside the functions, as no stage should wait for what it does not use."""

from experiments.engine import paths
from experiments.engine import ids
from experiments.engine import load
from experiments.engine import params
from experiments.engine.errors import UsageError, nearest


def data(options) -> int:
    """List data sets, fetch some, or write the card of an artifact."""
    from mr import datasets
    from experiments.engine.cli_data import fetch, show_all
    from experiments.engine.cards import card_file, unavailable, write_card

    if not options.names:
        return show_all()
    known = [*ids(), *datasets.names()]
    for name in options.names:
        if name not in known:
            raise UsageError(f"unknown data set or artifact {name!r}{nearest(name, known)}")
    artifacts = [name for name in options.names if name in ids()]
    for artifact in artifacts:
        card = write_card(artifact, load(artifact), params.block(artifact, options.profile))
        missing = unavailable(card)
        print(f"{artifact}: {len(card) - len(missing)} of {len(card)} data sets -> {_short(card_file(artifact))}")
    return fetch([name for name in options.names if name not in artifacts])


def graph(options) -> None:
    from experiments.engine.store import build_graphs

    skipped = build_graphs(_store(options))
    print(f"{options.id}: graphs built" + (f"; no data for {', '.join(skipped)}" if skipped else ""))


def spectrum(options) -> None:
    from experiments.engine.store import build_spectra

    skipped = build_spectra(_store(options))
    print(f"{options.id}: spectra computed" + (f"; no graph for {', '.join(skipped)}" if skipped else ""))


def run(options) -> None:
    from experiments.engine import runner

    _need_card(options.id)
    rows = runner.run(options.id, params.block(options.id, options.profile), options.n_jobs)
    print(f"{options.id}: {len(rows)} rows -> {_short(runner.runs_file(options.id))}")


def results(options) -> None:
    from experiments.scoreboard.tidy import results_file
    from experiments.scoreboard.write import write_results

    load(options.id)
    _need_card(options.id)
    frame = write_results(options.id, params.block(options.id, options.profile))
    print(f"{options.id}: {len(frame)} cells -> {_short(results_file(options.id))}")


def artifact(options) -> None:
    """All stages of one artifact, one after the other, in this process."""
    options.names, options.n_jobs = [options.id], None
    module = load(options.id)
    data(options)
    if hasattr(module, "graphs"):
        graph(options)
    if hasattr(module, "spectra"):
        spectrum(options)
    run(options)
    results(options)


def scoreboard(options) -> None:
    from experiments.scoreboard import build_scoreboard, summary, timing_order
    from experiments.scoreboard.scoreboard import write_scoreboard
    from experiments.scoreboard.timing import write_timing

    board = build_scoreboard()
    write_scoreboard(board)
    write_timing(timing_order(board))
    print(summary(board).to_string())
    print(f"-> {_short(paths.scoreboard_file())}")


def notebook(options) -> None:
    from experiments.engine.cli import notebooks

    known = notebooks.names()
    for name in options.names:
        if name not in known:
            raise UsageError(f"unknown notebook {name!r}{nearest(name, known)}")
    given = notebooks.parse_parameters(options.parameter)
    for name in options.names or known:
        print(f"{name} -> {_short(notebooks.execute(name, options.profile, given))}")


def pipeline(options) -> int:
    from experiments.engine.cli import pipeline as generator

    if options.check:
        problems = generator.out_of_date()
        for problem in problems:
            print(problem)
        return 1 if problems else 0
    generator.write(paths.ROOT, "paper", generator.released())
    print("dvc.yaml written")
    return 0


def reproduce(options) -> int:
    from experiments.engine.cli_reproduce import reproduce as go

    return go(options.profile, options.only)


def verify(options) -> int:
    from experiments.engine.cli_verify import verify as go

    return go()


def _store(options):
    from experiments.engine.store import Store

    module = load(options.id)
    _need_card(options.id)
    return Store(options.id, module, params.block(options.id, options.profile))


def _need_card(artifact: str) -> None:
    from experiments.engine.cards import card_file

    load(artifact)
    if not card_file(artifact).exists():
        raise UsageError(f"no data card of {artifact} yet; first: python -m mr data {artifact}")


def _short(path) -> str:
    """Path relative to the repository where it lies inside it."""
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path)
