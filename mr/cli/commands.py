"""What each subcommand does; imports stand inside the functions, as no stage should wait for what it does not use."""

from mr.common import paths
from mr.experiments import ids, load, params
from mr.experiments.errors import UsageError, nearest


def data(options) -> int:
    """List data sets, fetch some, or write the card of an artifact."""
    from mr import datasets
    from mr.cli.data import fetch, show_all
    from mr.experiments.cards import card_file, unavailable, write_card

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
    from mr.experiments.store import build_graphs

    skipped = build_graphs(_store(options))
    print(f"{options.id}: graphs built" + (f"; no data for {', '.join(skipped)}" if skipped else ""))


def spectrum(options) -> None:
    from mr.experiments.store import build_spectra

    skipped = build_spectra(_store(options))
    print(f"{options.id}: spectra computed" + (f"; no graph for {', '.join(skipped)}" if skipped else ""))


def run(options) -> None:
    from mr.experiments import runner

    _need_card(options.id)
    rows = runner.run(options.id, params.block(options.id, options.profile), options.n_jobs)
    print(f"{options.id}: {len(rows)} rows -> {_short(runner.runs_file(options.id))}")


def results(options) -> None:
    from mr.results.tidy import results_file
    from mr.results.write import write_results

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
    from mr.results import build_scoreboard, summary, timing_order
    from mr.results.scoreboard import write_scoreboard
    from mr.results.timing import write_timing

    board = build_scoreboard()
    write_scoreboard(board)
    write_timing(timing_order(board))
    print(summary(board).to_string())
    print(f"-> {_short(paths.scoreboard_file())}")


def notebook(options) -> None:
    from mr.cli import notebooks

    known = notebooks.names()
    for name in options.names:
        if name not in known:
            raise UsageError(f"unknown notebook {name!r}{nearest(name, known)}")
    given = notebooks.parse_parameters(options.parameter)
    for name in options.names or known:
        print(f"{name} -> {_short(notebooks.execute(name, options.profile, given))}")


def pipeline(options) -> int:
    from mr.cli import pipeline as generator

    if options.check:
        problems = generator.out_of_date()
        for problem in problems:
            print(problem)
        return 1 if problems else 0
    generator.write(paths.ROOT, "paper", generator.released())
    print("dvc.yaml written")
    return 0


def reproduce(options) -> int:
    from mr.cli.reproduce import reproduce as go

    return go(options.profile, options.only)


def verify(options) -> int:
    from mr.cli.verify import verify as go

    return go()


def _store(options):
    from mr.experiments.store import Store

    module = load(options.id)
    _need_card(options.id)
    return Store(options.id, module, params.block(options.id, options.profile))


def _need_card(artifact: str) -> None:
    from mr.experiments.cards import card_file

    load(artifact)
    if not card_file(artifact).exists():
        raise UsageError(f"no data card of {artifact} yet; first: python -m mr data {artifact}")


def _short(path) -> str:
    """Path relative to the repository where it lies inside it."""
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path)
