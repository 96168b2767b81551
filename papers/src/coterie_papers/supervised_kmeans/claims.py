"""The claims of the paper on supervised k-means, tested on the outcomes of its tables."""

from collections.abc import Mapping

from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table
from coterie_papers.supervised_kmeans.cells import NONE
from coterie_papers.supervised_kmeans.results import Outcomes

STRUCTURAL = ("Iterative", "Spect")

TESTS_NOTE = (
    "p: two-sided Wilcoxon signed-rank test over clusterings; the test of the paper's Table 4 "
    "(6.3.2) is one-sided. WebKB-L and WebKB-N are compared by the sign test, as in 6.3.3. In "
    "6.3.1 the paper makes no test, but says that both trainers win every time. Four or five "
    "clusterings are too few for a test. On Synth with the noise that the paper states, all "
    "losses are near 0, so the trainers hardly differ."
)


def claims_of(
    web: Mapping[str, Outcomes], news: Outcomes, synth: Outcomes, noisy: Outcomes, data: str
) -> Table:
    """Test the claims of section 6.3 over clusterings, also those that the paper does not test.

    `web` holds the outcomes on WebKB-L and on WebKB-N, in this order; `noisy` holds those on Synth
    with more noise.
    """
    real = {**web, "News": news}
    better = "Iterative better than Spect"
    claims = [
        *(claim for name, outcomes in real.items() for claim in _beats_baselines(name, outcomes)),
        _links_help(web),
        *(_no_winner(name, outcomes) for name, outcomes in real.items()),
        _better(f"Synth: {better} (6.3.2)", synth, *STRUCTURAL),
        _better(f"Synth, noise 0.45 (not in the paper): {better}", noisy, *STRUCTURAL),
    ]
    return claims_table(claims, data, digits=1, notes=[TESTS_NOTE])


def _beats_baselines(name: str, outcomes: Outcomes) -> list[Claim]:
    return [
        _better(f"{name}: {trainer} better than {other} (6.3.1)", outcomes, trainer, other)
        for other in ("Pair", NONE)
        for trainer in STRUCTURAL
    ]


def _links_help(web: Mapping[str, Outcomes]) -> Claim:
    linked, unlinked = (
        [loss for trainer in STRUCTURAL for loss in outcomes[trainer].losses]
        for outcomes in web.values()
    )
    text = "WebKB-L better than WebKB-N (6.3.3, sign test)"
    return Claim.of(text, linked, unlinked, "sign", lower=True)


def _no_winner(name: str, outcomes: Outcomes) -> Claim:
    text = f"{name}: Iterative level with Spect (6.3.2)"
    return _better(text, outcomes, *STRUCTURAL, level=True)


def _better(text: str, outcomes: Outcomes, first: str, second: str, level: bool = False) -> Claim:
    losses = outcomes[first].losses, outcomes[second].losses
    return Claim.of(text, *losses, "wilcoxon", lower=True, equal=level)
