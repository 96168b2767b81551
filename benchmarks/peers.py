"""Functions of other libraries for the same tasks, called as their manuals say."""

import multiprocessing
import random
import time
from typing import NamedTuple

import fastcluster
import igraph
import numpy as np
import scipy.linalg
from bioimage_cpp.graph import UndirectedGraph, multicut
from scipy.cluster.hierarchy import fcluster

from coterie.pairs import PairScores


class Peer(NamedTuple):
    """The labels, the seconds of the search, and the seconds to build the graph before it."""

    labels: np.ndarray
    seconds: float
    build: float


def gaec(scores: PairScores) -> Peer:
    """Run the greedy additive edge contraction of bioimage-cpp."""
    return _multicut(scores, [multicut.GreedyAdditiveMulticut()])


def gaec_kl(scores: PairScores, limit: float) -> Peer | None:
    """Run greedy contraction and Kernighan-Lin of bioimage-cpp, or return None after a limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_gaec_kl, args=(scores, sender))
    process.start()
    peer = receiver.recv() if receiver.poll(limit) else None
    process.kill()
    return peer


def _send_gaec_kl(scores, sender) -> None:
    solvers = [multicut.GreedyAdditiveMulticut(), multicut.KernighanLinMulticut()]
    sender.send(_multicut(scores, solvers))


def _multicut(scores: PairScores, solvers: list) -> Peer:
    begin = time.perf_counter()
    graph = UndirectedGraph.from_edges(scores.n_items, scores.pairs.astype(np.uint64))
    objective = multicut.MulticutObjective(graph, scores.scores)
    built = time.perf_counter()
    labels = multicut.ChainedMulticutSolvers(solvers).optimize(objective)
    done = time.perf_counter()
    return Peer(labels.astype(np.int64), done - built, built - begin)


def leiden(scores: PairScores) -> Peer:
    """Run Leiden of igraph on correlation clustering: a constant Potts model of resolution 0."""
    random.seed(0)
    begin = time.perf_counter()
    graph = igraph.Graph(scores.n_items, scores.pairs.tolist())
    weights = scores.scores.tolist()
    built = time.perf_counter()
    clustering = graph.community_leiden(objective_function="CPM", weights=weights, resolution=0)
    done = time.perf_counter()
    return Peer(np.array(clustering.membership), done - built, built - begin)


def batch_kernel_kmeans(matrix: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Assign all items to their nearest centres in feature space until no item moves."""
    n_items, diagonal = len(labels), np.diagonal(matrix)
    for _ in range(100):
        members = np.zeros((n_items, n_clusters))
        members[np.arange(n_items), labels] = 1.0
        sizes = np.maximum(members.sum(axis=0), 1.0)
        means = matrix @ members / sizes
        centres = (members * means).sum(axis=0) / sizes
        nearest = (diagonal[:, None] - 2 * means + centres).argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    return labels


def top_eigenvectors(matrix: np.ndarray, count: int) -> float:
    """Return the sum of the highest eigenvalues, by the direct solver of SciPy."""
    n_items = len(matrix)
    values, _ = scipy.linalg.eigh(matrix, subset_by_index=[n_items - count, n_items - 1])
    return float(values.sum())


def average_linkage(scores: PairScores, n_clusters: int) -> np.ndarray:
    """Cut the tree of average linkage by fastcluster at a number of clusters."""
    distances = scores.scores.max() - scores.scores
    return fcluster(fastcluster.linkage(distances, "average"), n_clusters, "maxclust")
