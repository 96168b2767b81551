"""The figures that the papers print agree with each other and with the papers' text."""

from coterie_papers.supervised_kmeans.published import SUPERVISED_KMEANS
from coterie_papers.svm_cluster.published import SVM_CLUSTER


def test_tables_of_2005_agree_with_each_other():
    first, second, third = (SVM_CLUSTER[f"table{n}"] for n in (1, 2, 3))
    fourth, fifth = SVM_CLUSTER["table4"], SVM_CLUSTER["table5"]
    assert third["Performance on Δ_M"]["Opt. to Δ_M"] == first["Test with C_G, Δ_M"]["C_G"]
    assert third["Performance on Δ_P"]["Opt. to Δ_P"] == first["Test with C_G, Δ_P"]["C_G"]
    assert fourth["NP-coreference, Δ_M"]["w/ loss"] == first["Test with C_G, Δ_M"]["C_G"]
    assert fourth["NP-coreference, Δ_P"]["w/ loss"] == first["Test with C_G, Δ_P"]["C_G"]
    assert fourth["News, train C_G, test C_G"]["w/ loss"] == fifth["Test C_G"]["Train C_G"]
    assert fourth["News, train C_R, test C_R*"]["w/ loss"] == fifth["Test C_R*"]["Train C_R"]
    for test in ("C_G", "C_R*"):
        for train in ("C_G", "C_R"):
            expected = fifth[f"Test {test}"][f"Train {train}"]
            assert second[f"Test with {test}, Δ_P"][train] == expected


def outcomes(data):
    """Return the differences of Iterative and Spect in Table 3 for a family of data sets."""
    rows = [row for name, row in SUPERVISED_KMEANS["table3"].items() if name.startswith(data)]
    return [round(row["Iterative"] - row["Spect"], 1) for row in rows]


def test_table_4_of_2008_counts_table_3():
    table4 = SUPERVISED_KMEANS["table4"]
    assert len(SUPERVISED_KMEANS["table3"]) == 34
    for data, row in table4.items():
        differences = outcomes(data)
        assert sum(d < 0 for d in differences) == row["Win"]
        assert sum(d == 0 for d in differences) == row["Tie"]
        assert sum(d > 0 for d in differences) == row["Lose"]
        assert row["Win"] + row["Lose"] == row["n_s/r"]


def test_wilcoxon_of_table_4_follows_from_table_3():
    """|W|, the sum of signed ranks, where the paper prints it correctly, up to rounded losses."""
    for data in ("WebKB-L", "News", "Synth"):
        differences = [d for d in outcomes(data) if d]
        sizes = [abs(d) for d in differences]
        ranks = [
            sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes
        ]
        signed = sum(rank if d > 0 else -rank for rank, d in zip(ranks, differences, strict=True))
        assert abs(abs(signed) - SUPERVISED_KMEANS["table4"][data]["W"]) <= 1


def test_table_3_of_2008_agrees_with_the_text():
    rows = SUPERVISED_KMEANS["table3"]
    for name, row in rows.items():
        if not name.startswith("Synth"):
            assert max(row["Iterative"], row["Spect"]) < min(row["Pair"], row["None"])
    worse = [name for name, row in rows.items() if row["Pair"] < row["Iterative"]]
    assert worse == ["Synth, 3"]
    for place in ("Cornell", "Texas", "Washington", "Wisconsin"):
        gain = rows[f"WebKB-N, {place}"]["Iterative"] - rows[f"WebKB-L, {place}"]["Iterative"]
        assert gain > 10
