"""What the site shows, from committed files alone: the scoreboard as data, the overview, the code of the guide's pages.

Nothing here needs Sphinx. ``docs/conf.py`` and ``docs/_ext`` call it while the site is built; ``make site`` runs
:mod:`experiments.site.build`.
"""
