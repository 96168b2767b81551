"""What is claimed of supervised k-means, and what is seen of it."""

from collections.abc import Mapping

from coterie.experiments._kmeans_cells import NONE
from coterie.experiments._kmeans_results import Outcomes
from coterie.experiments.claims import Claim, claims_table
from coterie.experiments.tables import Table

STRUCTURAL = ("Iterative", "Spect")


def claims_of(web: Mapping[str, Outcomes], news: Outcomes, synth: Outcomes, data: str) -> Table:
    """Test the claims of section 6.3 by Wilcoxon's test over clusterings, as the paper does.

    `web` has WebKB-L and WebKB-N, in this order.
    """
    real = {**web, "News": news}
    claims = [
        *(claim for name, found in real.items() for claim in _beats_baselines(name, found)),
        _links_help(web),
        *(_no_winner(name, found) for name, found in real.items()),
        Claim.of(
            "Synth: Iterative better than Spect (6.3.2)",
            synth["Iterative"].losses,
            synth["Spect"].losses,
            "wilcoxon",
            lower=True,
        ),
    ]
    return claims_table(claims, data, digits=1)


def _beats_baselines(name: str, found: Outcomes) -> list[Claim]:
    return [
        Claim.of(
            f"{name}: {trainer} better than {other} (6.3.1)",
            found[trainer].losses,
            found[other].losses,
            "wilcoxon",
            lower=True,
        )
        for other in ("Pair", NONE)
        for trainer in STRUCTURAL
    ]


def _links_help(web: Mapping[str, Outcomes]) -> Claim:
    linked, unlinked = (
        [loss for trainer in STRUCTURAL for loss in found[trainer].losses] for found in web.values()
    )
    text = "WebKB-L better than WebKB-N (6.3.3, sign test)"
    return Claim.of(text, linked, unlinked, "sign", lower=True)


def _no_winner(name: str, found: Outcomes) -> Claim:
    return Claim.of(
        f"{name}: Iterative level with Spect (6.3.2)",
        found["Iterative"].losses,
        found["Spect"].losses,
        "wilcoxon",
        lower=True,
        level=True,
    )
