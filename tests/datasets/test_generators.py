import numpy as np
import pytest
from sklearn.datasets import load_digits

from coterie import Partition, datasets
from coterie.datasets import Corpus
from coterie.exceptions import InputError
from coterie.pairs import all_pairs


def test_synth_is_that_of_the_paper():
    item_sets, partitions = datasets.make_synth()
    assert len(item_sets) == len(partitions) == 5
    for item_set, partition in zip(item_sets, partitions, strict=True):
        assert partition.sizes.tolist() == [20] * 5
        assert item_set.n_clusters == 5
        features = item_set.items.features
        assert features.shape == (4950, 750)
        assert np.all(features.sum(axis=1) == 5)
        assert np.all(features.data == 1)


def regions_of(item_set):
    """The region of each pair, which holds all its active features."""
    regions = item_set.items.features.indices.reshape(-1, 5) // 50
    assert np.all(regions == regions[:, :1])
    return regions[:, 0]


def shares_by_kind(item_set, partition):
    """For every pair of clusters, the share of its item pairs in its commonest region."""
    regions = regions_of(item_set)
    ends = np.sort(partition.labels[all_pairs(len(partition))], axis=1)
    kinds = ends[:, 0] * 5 + ends[:, 1]
    counts = [np.bincount(regions[kinds == kind], minlength=15) for kind in np.unique(kinds)]
    assert len({int(count.argmax()) for count in counts}) == len(counts) == 15
    return np.array([count.max() / count.sum() for count in counts])


def test_synth_without_noise_has_one_region_for_each_pair_of_clusters():
    item_sets, partitions = datasets.make_synth(noise=0.0, n_sets=2)
    for item_set, partition in zip(item_sets, partitions, strict=True):
        assert np.all(shares_by_kind(item_set, partition) == 1)


def test_synth_noise_leaves_70_percent_of_regions_right():
    """Each index differs in 16 % of cases, so about 70.5 % of pairs keep both (paper, 6.1.3)."""
    item_sets, partitions = datasets.make_synth(n_sets=10)
    shares = np.mean(
        [shares_by_kind(*pair) for pair in zip(item_sets, partitions, strict=True)], axis=0
    )
    # Of two different indices, (i, j) also comes back when both are replaced by each other.
    assert shares == pytest.approx(0.84**2, abs=0.03)


def test_synth_takes_other_sizes():
    item_sets, partitions = datasets.make_synth(
        n_sets=1, n_clusters=3, cluster_size=4, region_size=6, n_active=2
    )
    assert item_sets[0].items.features.shape == (66, 36)
    assert partitions[0].n_clusters == 3


@pytest.mark.parametrize("make", [datasets.make_synth, datasets.make_item_sets])
def test_generators_repeat_by_seed(make):
    one, same, other = make(random_state=1), make(random_state=1), make(random_state=2)
    assert isinstance(one, Corpus)
    assert one.partitions == same.partitions
    assert one.partitions != other.partitions


def test_item_sets_have_signal_and_nuisance():
    item_sets, partitions = datasets.make_item_sets(n_sets=40, n_items=50)
    within, overall = [], []
    for item_set, partition in zip(item_sets, partitions, strict=True):
        items = item_set.items
        means = np.array([items[cluster].mean(axis=0) for cluster in partition.clusters])
        within.append(np.var(items - means[partition.labels], axis=0))
        overall.append(np.var(items, axis=0))
    ratio = np.mean(within, axis=0) / np.mean(overall, axis=0)
    assert np.all(ratio[:4] < 0.1)
    assert np.all(ratio[4:] > 0.8)
    spread = np.vstack([item_set.items for item_set in item_sets]).std(axis=0)
    assert spread == pytest.approx(np.hypot(5, 1), rel=0.15)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (datasets.make_synth, {"n_active": 51}),
        (datasets.make_synth, {"n_active": -1}),
        (datasets.make_synth, {"region_size": 0}),
        (datasets.make_synth, {"cluster_size": 2.5}),
        (datasets.make_synth, {"noise": 2}),
        (datasets.make_synth, {"noise": float("nan")}),
        (datasets.make_synth, {"n_sets": -1}),
        (datasets.make_synth, {"random_state": -1}),
        (datasets.make_item_sets, {"n_items": -1}),
        (datasets.make_item_sets, {"n_clusters": 0}),
        (datasets.make_item_sets, {"separation": -1}),
        (datasets.make_item_sets, {"n_sets": 1.5}),
        (datasets.load_digit_sets, {"n_items": 0}),
        (datasets.load_digit_sets, {"n_items": 5000}),
        (datasets.load_digit_sets, {"split": ["train"]}),
        (datasets.load_digit_sets, {"random_state": -1}),
        (datasets.load_digit_sets, {"digits": []}),
    ],
)
def test_bad_arguments_are_refused(make, options):
    ((name, _),) = options.items()
    with pytest.raises(InputError, match=f"{name} is .*; give"):
        make(**options)


def test_sets_without_items():
    assert [len(s) for s in datasets.make_synth(n_sets=2, cluster_size=0).item_sets] == [0, 0]
    assert len(datasets.make_item_sets(n_sets=1, n_items=0).item_sets[0]) == 0
    assert datasets.make_item_sets(n_sets=0).item_sets == []
    assert len(datasets.load_digit_sets(n_items=896).item_sets) == 2


def test_digits_to_train_on_are_others_than_those_to_test_on():
    train, test = datasets.load_digit_sets("train"), datasets.load_digit_sets("test")
    all_sets = datasets.load_digit_sets()
    assert len(all_sets.item_sets) == len(train.item_sets) + len(test.item_sets)
    assert all_sets.partitions == train.partitions + test.partitions
    images = np.vstack([item_set.items for item_set in all_sets.item_sets])
    assert images.min() == 0
    assert images.max() == 1
    assert len(np.unique(np.round(images * 16), axis=0)) == len(images)
    with pytest.raises(InputError, match="give 'train', 'test' or None"):
        datasets.load_digit_sets("dev")


def test_digits_to_draw_from_may_be_chosen():
    corpus = datasets.load_digit_sets(n_items=50, digits=(4, 1))
    digit_of_image = {
        image.tobytes(): digit for image, digit in zip(*load_digits(return_X_y=True), strict=True)
    }
    assert len(corpus.item_sets) == 363 // 50  # 181 images of 4, 182 of 1
    for item_set, truth in zip(*corpus, strict=True):
        digits = [digit_of_image[image.tobytes()] for image in np.round(item_set.items * 16)]
        assert set(digits) == {1, 4}
        assert truth.labels.tolist() == Partition(digits).labels.tolist()
