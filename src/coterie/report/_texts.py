"""The explanations on the page, for readers who know tables but no machine learning."""

UNLABELLED = "The true clusters of this table are not known, so the quality could not be measured."
NO_METRICS = "The quality was not measured."
NO_CURVE = "The quality at other thresholds was not measured."
NO_CLUSTERS = "There are no clusters."
NO_TRUE_SIZES = "The sizes of the true clusters are not known."
NO_FIELDS = "The scores of this model are not sums over columns, so columns have no weights."
NO_CHOICE = "It is not known which learners were compared."
NO_BLOCKING = "It is not known how candidate pairs were found."
NO_DOUBTFUL_CLUSTERS = "There is no cluster of two or more rows."

QUALITY = (
    "This table compares the clusters with the true clusters. The best value of a metric is 1, or "
    "0 if lower is better. The 95% interval shows how uncertain a value is: if the metric is "
    "measured again on random samples of the true clusters, 95% of the results lie in this "
    "interval. A dash means that a value is undefined or was not measured."
)
LOWER_IS_BETTER = "lower is better"

METRICS = {
    "pair_scores.precision": "Of the pairs of rows that are in one cluster, the share that truly "
    "belongs together.",
    "pair_scores.recall": "Of the pairs of rows that truly belong together, the share that is in "
    "one cluster.",
    "pair_scores.f1": "Precision and recall of pairs in one number: their harmonic mean.",
    "b_cubed.precision": "For each row: of the rows in its cluster, the share that truly belongs "
    "with it. The value is the mean over all rows.",
    "b_cubed.recall": "For each row: of the rows that truly belong with it, the share that is in "
    "its cluster. The value is the mean over all rows.",
    "b_cubed.f1": "B-cubed precision and recall in one number: their harmonic mean.",
    "adjusted_rand_score": "1 if the clusters equal the true clusters, about 0 if they are random.",
    "pair_loss": "Pairs of rows that are wrongly in one cluster or wrongly in different clusters.",
    "variation_of_information": "Distance between the clusters and the true clusters.",
}
"""Meaning of each metric of `coterie.tables.Evaluation`."""

THRESHOLDS = (
    "The threshold decides how similar rows must be to get into one cluster. A higher threshold "
    "usually avoids wrong pairs (higher precision) but misses more true pairs (lower recall). The "
    "charts show the quality that other thresholds would give. A change of 0 is the threshold of "
    "this model. Precision, recall and F1 are those of pairs."
)

UNDEFINED_METRICS = (
    " A line has a gap or ends where its metric is undefined. For example, precision is undefined "
    "if no two rows are in one cluster."
)

FIELDS = (
    "The score of a pair of rows is a sum: each column adds a number, and a constant is the same "
    "for all pairs. A positive score speaks for one cluster, a negative score for different "
    "clusters. The table shows the mean number that each column adds, for a sample of pairs in the "
    "same cluster and for a sample of pairs in different clusters. The larger the difference "
    "between the two numbers, the more the column decides. The share is this difference, divided "
    "by the sum of the differences of all columns."
)

CHOICE = "These learners were compared before the model was learned."

HEADINGS = {
    "mean": "the mean of the metric for choosing the learner, on held-out rows, from which the "
    "learner had not learned",
    "std error": "the standard error, which is the uncertainty of the difference from the best "
    "learner; empty for the best learner",
    "clusterer": "the algorithm that makes clusters from the scores of pairs",
    "threshold": "the number that the model subtracts from all scores, so that all scores in this "
    "report are compared with 0",
    "rounds": "the number of rounds of learning",
}
"""Meaning of each column of the table of learners that needs an explanation."""

BLOCKING = (
    "The model compares only the candidate pairs of rows. In a small table, all pairs are "
    "candidates. In a large table, a pair is a candidate if at least one of the keys below finds "
    "it."
)

CLUSTER_TERMS = (
    (
        "weakest link",
        "the lowest score among the links that hold the cluster together; low scores are doubtful",
    ),
    (
        "disagreement",
        "the share of the pairs of rows in the cluster that score below 0 or were not compared",
    ),
    ("linked to", "the row of the same cluster with which a row has its highest score"),
    (
        "confidence",
        "the probability that all rows of the cluster truly belong together",
    ),
)
"""Meaning of each term in the section of doubtful clusters."""

MARKS = (
    "<mark>Marked</mark> text differs from the value that is most common in the cluster. If no "
    "value is the most common, a row is compared with the row that it is linked to. "
    '<mark class="gap"></mark> stands where text is missing.'
)

TRUTH_MARKS = (
    " The sign ≠ marks a row whose true cluster differs from that of most rows here or, if no true "
    "cluster is the most common, from that of the first row."
)
