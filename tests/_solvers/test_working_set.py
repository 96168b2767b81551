"""The quadratic program of the cutting planes against two general solvers."""

import highspy
import numpy as np
import piqp
import pytest
from scipy import sparse

from coterie._solvers.working_set import WorkingSet


def planes(rng, n_planes, n_columns, n_blocks):
    """Return correlated gradients, as in training, with losses and blocks."""
    base = rng.normal(size=(max(3, n_planes // 6), n_columns))
    mix = rng.dirichlet(np.full(len(base), 0.3), n_planes)
    gradients = mix @ base + 0.1 * rng.normal(size=(n_planes, n_columns))
    return gradients, rng.uniform(1.0, 80.0, n_planes), rng.integers(n_blocks, size=n_planes)


def filled(gradients, losses, blocks, caps, nonnegative=False):
    working = WorkingSet(gradients.shape[1], caps, nonnegative)
    for gradient, loss, block in zip(gradients, losses, blocks, strict=True):
        working.add(int(block), gradient, float(loss))
    return working


def best_by_piqp(gradients, losses, blocks, caps, nonnegative=False):
    """Minimise ½‖w‖² + Σ cap ξ over (w, ξ), written out in full."""
    n_columns, n_blocks = gradients.shape[1], len(caps)
    size = n_columns + n_blocks
    cost = np.zeros((size, size))
    cost[:n_columns, :n_columns] = np.eye(n_columns)
    linear = np.concatenate([np.zeros(n_columns), caps])
    constraints = np.column_stack([gradients, np.equal.outer(blocks, np.arange(n_blocks))])
    low = np.full(size, -np.inf)
    low[n_columns:] = 0.0
    if nonnegative:
        low[:n_columns] = 0.0
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.setup(
        cost, linear, None, None, -constraints, np.full(len(losses), -np.inf), -losses, low,
        np.full(size, np.inf),
    )  # fmt: skip
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.info.primal_obj, np.asarray(solver.result.x)[:n_columns]


def best_by_highs(gradients, losses, blocks, caps):
    """Maximise lossesᵀα − ½‖Σ α gradient‖² with Σ α ≤ cap in each block."""
    n_planes = len(losses)
    gram = gradients @ gradients.T + 1e-9 * np.eye(n_planes)
    model = highspy.HighsModel()
    program = model.lp_
    program.num_col_, program.num_row_ = n_planes, len(caps)
    program.col_cost_ = -losses
    program.col_lower_ = np.zeros(n_planes)
    program.col_upper_ = np.full(n_planes, highspy.kHighsInf)
    program.row_lower_ = np.full(len(caps), -highspy.kHighsInf)
    program.row_upper_ = caps
    member = sparse.csc_array(np.equal.outer(np.arange(len(caps)), blocks).astype(float))
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = member.indptr
    program.a_matrix_.index_ = member.indices
    program.a_matrix_.value_ = member.data
    lower = sparse.csc_array(np.tril(gram))
    model.hessian_.dim_ = n_planes
    model.hessian_.start_ = lower.indptr
    model.hessian_.index_ = lower.indices
    model.hessian_.value_ = lower.data
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(model)
    solver.run()
    return -solver.getInfo().objective_function_value


SHAPES = [(1, 3, 1), (12, 5, 1), (40, 8, 1), (40, 30, 6), (90, 20, 10)]


@pytest.mark.parametrize("scale", [0.1, 10.0, 1e4])
@pytest.mark.parametrize(("n_planes", "n_columns", "n_blocks"), SHAPES)
def test_the_dual_equals_the_optimum_of_two_other_solvers(n_planes, n_columns, n_blocks, scale):
    rng = np.random.default_rng(n_planes)
    problem = planes(rng, n_planes, n_columns, n_blocks)
    caps = scale * rng.uniform(0.5, 1.5, n_blocks)
    working = filled(*problem, caps)
    working.solve(tol=1e-9 * caps.sum())
    best, coef = best_by_piqp(*problem, caps)
    assert working.dual == pytest.approx(best, rel=1e-6)
    assert working.dual == pytest.approx(best_by_highs(*problem, caps), rel=1e-5)
    np.testing.assert_allclose(working.coef, coef, atol=1e-3 * np.abs(coef).max())


@pytest.mark.parametrize("scale", [0.1, 10.0, 1e4])
@pytest.mark.parametrize(("n_planes", "n_columns", "n_blocks"), SHAPES)
def test_the_optimum_without_negative_weights(n_planes, n_columns, n_blocks, scale):
    rng = np.random.default_rng(n_planes)
    problem = planes(rng, n_planes, n_columns, n_blocks)
    caps = scale * rng.uniform(0.5, 1.5, n_blocks)
    working = filled(*problem, caps, nonnegative=True)
    working.solve(tol=1e-9 * caps.sum())
    best, coef = best_by_piqp(*problem, caps, nonnegative=True)
    assert working.coef.min() >= 0
    assert working.dual == pytest.approx(best, rel=1e-5)
    np.testing.assert_allclose(working.coef, coef, atol=1e-2 * np.abs(coef).max() + 1e-9)


@pytest.mark.parametrize("nonnegative", [False, True])
def test_planes_one_by_one_give_the_same_optimum_as_all_at_once(nonnegative):
    """Warm starts, growth and purging of idle planes change no result."""
    rng = np.random.default_rng(5)
    gradients, losses, blocks = planes(rng, 80, 10, 3)
    caps = np.array([3.0, 1.0, 2.0])
    working = filled(gradients, losses, blocks, caps, nonnegative)
    working.solve(1e-8)
    incremental = WorkingSet(10, caps, nonnegative)
    for gradient, loss, block in zip(gradients, losses, blocks, strict=True):
        incremental.add(int(block), gradient, float(loss))
        incremental.solve(1e-8)
    assert incremental.dual == pytest.approx(working.dual, rel=1e-7)
    incremental.purge(1)
    assert len(incremental) < 80
    assert incremental.dual == pytest.approx(working.dual, rel=1e-7)
    incremental.solve(1e-8)
    assert incremental.dual == pytest.approx(working.dual, rel=1e-7)


def test_a_rescaled_solution_is_a_bound_and_leads_to_the_new_optimum():
    rng = np.random.default_rng(6)
    problem = planes(rng, 30, 6, 2)
    working = filled(*problem, np.ones(2))
    working.solve(1e-8)
    working.rescale(50.0)
    best, _ = best_by_piqp(*problem, np.full(2, 50.0))
    assert working.dual <= best * (1 + 1e-9)
    working.solve(1e-6)
    assert working.dual == pytest.approx(best, rel=1e-6)


def test_slacks_are_the_largest_violations():
    rng = np.random.default_rng(7)
    gradients, losses, blocks = planes(rng, 20, 4, 3)
    working = filled(gradients, losses, blocks, np.full(3, 0.1))
    assert working.slacks(np.zeros(4))[1] == losses[blocks == 1].max()
    working.solve(1e-9)
    violations = (losses - gradients @ working.coef)[blocks == 2]
    assert working.slacks(working.coef)[2] == pytest.approx(max(0.0, violations.max()))


def test_linearly_dependent_planes_close_the_gap():
    """With more planes than columns, the dual is flat in some directions, up to rounding."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        basis = rng.normal(size=(9, 9)) * 10.0 ** rng.uniform(0.0, 3.0, size=(9, 1))
        working = WorkingSet(9, np.full(3, 0.1))
        for number in range(60):
            working.add(number % 3, rng.normal(size=9) @ basis, rng.normal(50.0, 10.0))
            assert working.solve(1e-6)
