"""Training: the same seed, the same weights; and what is written is what is played with."""

from pathlib import Path

import numpy as np

from engine.bots.net import decode
from training.league import SELF, Plan, against, train
from training.learning import begin, mean, read, whole, widened, write
from training.nets import KNOCK, Net, empty, value

TINY = Plan(
    shares={SELF: 0.5, "patient": 0.2, "simple": 0.2, "greedy": 0.1}, rounds=2, deals=300, units=4, trust=0.9
)


def trained(seed: int) -> Net:
    nets = begin(TINY.units, TINY.features, np.random.default_rng(seed))
    *_, last = train(TINY, nets, empty(), seed)
    return last.net


def same(one: Net, other: Net) -> bool:
    return all(np.array_equal(mine, its) for mine, its in zip(one, other, strict=True))


def test_the_same_seed_gives_the_same_weights() -> None:
    assert same(trained(7), trained(7))
    assert not same(trained(7), trained(8))


def test_training_moves_every_net_and_stays_whole() -> None:
    before = whole(begin(TINY.units, TINY.features, np.random.default_rng(7)))
    for part, was in zip(trained(7), before, strict=True):
        assert np.array_equal(part, np.rint(part))
        assert all(not np.array_equal(part[which], was[which]) for which in range(3))


def test_what_is_written_is_read_the_same_by_training_and_engine(tmp_path: Path) -> None:
    net = trained(7)
    write(net, tmp_path / "net.json")
    assert same(read(tmp_path / "net.json"), net)
    brain = decode((tmp_path / "net.json").read_text(encoding="utf-8"))
    told = np.random.default_rng(1).integers(0, 2048, (50, TINY.features))
    for each in told:
        assert brain.knock.worth(tuple(map(int, each))) == value(net, KNOCK, each.astype(np.float64))


def test_a_wider_net_begins_where_the_other_ended() -> None:
    net = trained(7)
    wider = whole(widened(net, 6, TINY.features + 1, np.random.default_rng(1)))
    share, _ = against(wider, empty(), "simple", 10, 20, 1)
    assert wider[0].shape == (3, 6, TINY.features + 1)
    assert np.array_equal(wider[0][:, :4, : TINY.features], net[0])
    assert 0 < share < 1


def test_the_mean_of_nets_is_whole() -> None:
    one, other = trained(7), trained(8)
    for part, mine, its in zip(mean([one, other]), one, other, strict=True):
        assert np.array_equal(part, np.rint((mine + its) / 2))
