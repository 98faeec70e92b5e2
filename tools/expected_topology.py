#!/usr/bin/env python3
"""What the topology of each model must come to, found without the engine.

    tools/expected_topology.py [FILE ...]    print the table; without FILE, that of every model in
                                             models/ and test/models/
    tools/expected_topology.py --trees FILE  weights of all spanning trees of a small model

test/models/expected.csv is this table. To make it anew:

    tools/expected_topology.py > test/models/expected.csv

Needs Python 3 with numpy and yaml (Debian: python3-numpy, python3-yaml).

Columns
  file            as given, or relative to the project
  bodies, joints  as in the file; ground is not counted
  cuts            joints - (nodes - parts): nodes are the bodies and, if a joint names it, the
                  ground; parts are the connected pieces of the graph
  weight          of the lightest spanning tree (of all parts)
  coordinates     of its joints, and 6 for each part without ground, for its base
  constraints     rows of the cut joints, and one for each distance joint in the tree
  dof             degrees of freedom at a generic position
  redundant       constraints minus their rank at a generic position
  singular        1 if the rank in the design position is less than at a generic one
  cartesian_rows  rows if every joint were a constraint between free bodies

How it is found. Counts and weights come from the graph and the table of joint types below. Ranks
come from the singular values of the Jacobian of all joints in Cartesian velocities, six per body
(velocity of the centre of gravity, angular velocity). No tree and no joint coordinate is used for
that; that the tree's coordinates less its independent rows give the same degrees of freedom is
checked. "Generic" is the highest rank over positions near the design position that satisfy all
joints: a random step along the null space, then Newton's method.

Not covered: joints with `motion`.
"""

import argparse
import itertools
import math
import os
import pathlib
import sys

import numpy as np
import yaml

# coordinates in the tree, rows when cut, weight (Tsai and Haug, extended)
JOINT_TYPES = {
    "fixed": (0, 6, 0.0),
    "revolute": (1, 5, 1.1),
    "translational": (1, 5, 1.0),
    "cylindrical": (2, 4, 2.1),
    "universal": (2, 4, 2.2),
    "spherical": (3, 3, 3.0),
    "planar": (3, 3, 3.1),
    "screw": (1, 5, 1.1),
    "free": (6, 0, 6.5),
    "no-rotation": (3, 3, 3.0),
    "distance": (6, 1, 6.0),
    "spherical-revolute": (4, 2, 4.1),
    "spherical-translational": (4, 2, 4.0),
}

COLUMNS = ("file bodies joints cuts weight coordinates constraints dof redundant singular "
           "cartesian_rows").split()

RANK_TOLERANCE = 1e-8  # of the largest singular value
CLEAR_GAP = 1e3        # between the last singular value that counts and the first that does not
NEIGHBOURS = 12
STEP = 0.15            # largest component of the step to a neighbour [rad, or lengths of the model]


# ---- reading -----------------------------------------------------------------------------------

class Joint:
    """Points and axes as two vectors each, one for either body, in the design position."""

    def __init__(self, name, keys, points):
        if "motion" in keys:
            sys.exit(f"joint {name}: driven joints are not covered")
        self.name, self.type, self.bodies = name, keys["type"], keys["bodies"]
        self.coordinates, self.rows, self.weight = JOINT_TYPES[self.type]
        self.point = one_or_two(keys.get("at"), points)
        self.axis = [a / np.linalg.norm(a) for a in one_or_two(keys.get("axis"), points)]
        self.lead = float(keys.get("lead", 0))


def vector(value, points):
    """A point is three numbers or a name."""
    return points[value] if isinstance(value, str) else np.array([float(x) for x in value])


def one_or_two(value, points):
    if value is None:
        return []
    if isinstance(value, list) and len(value) == 2:
        return [vector(v, points) for v in value]
    return [vector(value, points)] * 2


def merge(under, over):
    """What `over` says overrides, key by key."""
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(under.get(key), dict)
        under[key] = merge(under[key], value) if both else value
    return under


def read_tree(file):
    with open(file, encoding="utf-8") as f:
        tree = yaml.load(f, yaml.BaseLoader)  # as text: PyYAML's numbers are those of YAML 1.1
    names = tree.pop("include", [])
    under = {}
    for name in [names] if isinstance(names, str) else names:
        under = merge(under, read_tree(os.path.join(os.path.dirname(file), name)))
    return merge(under, tree)


class Model:
    def __init__(self, file):
        tree = read_tree(file)
        points = {k: vector(p, {}) for k, p in (tree.get("points") or {}).items()}
        self.file = file
        self.bodies = list(tree["bodies"])
        self.joints = [Joint(k, j, points) for k, j in (tree.get("joints") or {}).items()]
        self.index = {b: i for i, b in enumerate(self.bodies)}
        self.cg = np.array([vector(b["cg"], points) for b in tree["bodies"].values()])
        for j in self.joints:
            if j.type == "fixed" and not j.point:  # any point will do
                j.point = [self.cg[self.index[next(b for b in j.bodies if b != "ground")]]] * 2
        self.scale_lengths()

    def scale_lengths(self):
        """Units of the joints' distance from centres of gravity: ranks are no matter of units."""
        arms = [p - self.cg[self.index[b]]
                for j in self.joints for b, p in zip(j.bodies, j.point) if b != "ground"]
        size = math.sqrt(np.mean([a @ a for a in arms])) if arms else 1.0
        size = size or 1.0
        self.cg = self.cg / size
        for j in self.joints:
            j.point = [p / size for p in j.point]
            j.lead /= size


# ---- the graph ---------------------------------------------------------------------------------

class Parts:
    """Connected pieces of the graph, joined one by one."""

    def __init__(self, nodes):
        self.of = {n: n for n in nodes}

    def find(self, node):
        while self.of[node] != node:
            node = self.of[node]
        return node

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        self.of[a] = b
        return a != b

    def roots(self):
        return {self.find(n) for n in self.of}


def nodes_of(model):
    grounded = any("ground" in j.bodies for j in model.joints)
    return model.bodies + (["ground"] if grounded else [])


def lightest_tree(model):
    """Kruskal: joints in the tree, joints cut, number of parts that float."""
    nodes = nodes_of(model)
    parts, tree, cut = Parts(nodes), [], []
    for j in sorted(model.joints, key=lambda j: j.weight):
        (tree if parts.join(*j.bodies) else cut).append(j)
    floating = len(parts.roots()) - ("ground" in nodes)
    return tree, cut, floating


def all_trees(model):
    """Weights of all spanning trees, by trying every set of joints of the right size."""
    nodes = nodes_of(model)
    size = len(lightest_tree(model)[0])
    for joints in itertools.combinations(model.joints, size):
        parts = Parts(nodes)
        if all(parts.join(*j.bodies) for j in joints):
            yield sum(j.weight for j in joints)


# ---- constraints -------------------------------------------------------------------------------

def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def normals(a):
    """Two unit vectors normal to a and to each other."""
    u = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    u /= np.linalg.norm(u)
    return u, np.cross(a, u)


def turned(v):
    """Rotation matrix of the rotation vector v."""
    angle = np.linalg.norm(v)
    if angle == 0:
        return np.eye(3)
    k = skew(v / angle)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


class Pose:
    """Positions and rotations of all bodies; the design position has no rotation."""

    def __init__(self, model):
        self.model = model
        self.r = model.cg.copy()
        self.a = np.array([np.eye(3)] * len(model.bodies))

    def moved(self, step):
        new = Pose(self.model)
        step = step.reshape(-1, 6)
        new.r = self.r + step[:, :3]
        new.a = np.array([turned(s[3:]) @ a for s, a in zip(step, self.a)])
        return new

    def rotation(self, body):
        return np.eye(3) if body == "ground" else self.a[self.model.index[body]]

    def point(self, body, design):
        """Where a point of the body is now, and its arm from the centre of gravity."""
        if body == "ground":
            return design, design
        i = self.model.index[body]
        arm = self.a[i] @ (design - self.model.cg[i])
        return self.r[i] + arm, arm


def constraint(joint, pose):
    """Residual of a joint, and its Jacobian for the velocities (v, w) of its two bodies."""
    one, two = joint.bodies
    rot = [pose.rotation(one), pose.rotation(two)]
    if joint.point:
        (p1, arm1), (p2, arm2) = (pose.point(b, p) for b, p in zip(joint.bodies, joint.point))
        d = p2 - p1
    if joint.axis:
        a1, a2 = rot[0] @ joint.axis[0], rot[1] @ joint.axis[1]
        across = [rot[0] @ u for u in normals(joint.axis[0])]
    residual, first, second = [], [], []

    def row(value, v1, w1, v2, w2):
        residual.append(value)
        first.append(np.concatenate([v1, w1]))
        second.append(np.concatenate([v2, w2]))

    def separation(u):
        """u . d with u fixed in the first body."""
        row(u @ d, -u, np.cross(u, d) - np.cross(arm1, u), u, np.cross(arm2, u))

    def coincide():
        for u in np.eye(3):
            row(u @ d, -u, -np.cross(arm1, u), u, np.cross(arm2, u))

    def angle(u1, u2, wanted):
        """u1 . u2, one fixed in each body."""
        n = np.cross(u2, u1)
        row(u1 @ u2 - wanted, np.zeros(3), -n, np.zeros(3), n)

    def parallel():
        for u in across:
            angle(u, a2, 0.0)

    def no_turn():
        relative = rot[1] @ rot[0].T
        error = 0.5 * np.array([relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0],
                                relative[1, 0] - relative[0, 1]])
        for u, e in zip(np.eye(3), error):
            row(e, np.zeros(3), -u, np.zeros(3), u)

    kind = joint.type
    if kind == "fixed":
        coincide()
        no_turn()
    elif kind == "spherical":
        coincide()
    elif kind == "revolute":
        coincide()
        parallel()
    elif kind == "universal":
        coincide()
        angle(a1, a2, joint.axis[0] @ joint.axis[1])
    elif kind == "translational":
        for u in across:
            separation(u)
        no_turn()
    elif kind == "cylindrical":
        for u in across:
            separation(u)
        parallel()
    elif kind == "planar":
        separation(a1)
        parallel()
    elif kind == "screw":
        for u in across:
            separation(u)
        parallel()
        u, w = (rot[1] @ x for x in normals(joint.axis[0]))
        turn = math.atan2(u @ across[1], u @ across[0])
        pitch = joint.lead / (2 * math.pi)
        separation(a1)
        residual[-1] -= pitch * turn
        first[-1][3:] += pitch * a1
        second[-1][3:] -= pitch * a1
    elif kind == "no-rotation":
        no_turn()
    elif kind == "distance":
        length = np.linalg.norm(joint.point[1] - joint.point[0])
        u = d / np.linalg.norm(d)
        row(np.linalg.norm(d) - length, -u, -np.cross(arm1, u), u, np.cross(arm2, u))
    elif kind == "spherical-revolute":
        design = joint.point[1] - joint.point[0]
        separation(a1)
        residual[-1] -= joint.axis[0] @ design
        u = d / np.linalg.norm(d)
        row(np.linalg.norm(d) - np.linalg.norm(design),
            -u, -np.cross(arm1, u), u, np.cross(arm2, u))
    elif kind == "spherical-translational":
        for u in across:
            separation(u)
    elif kind != "free":
        raise KeyError(kind)
    assert len(residual) == joint.rows, joint.name
    return residual, first, second


def system(model, pose):
    """Residual and Jacobian of all joints."""
    residual, rows = [], []
    for joint in model.joints:
        values, first, second = constraint(joint, pose)
        for value, f, s in zip(values, first, second):
            full = np.zeros(6 * len(model.bodies))
            for body, part in zip(joint.bodies, (f, s)):
                if body != "ground":
                    at = 6 * model.index[body]
                    full[at:at + 6] += part
            residual.append(value)
            rows.append(full)
    return np.array(residual), np.array(rows).reshape(len(rows), 6 * len(model.bodies))


def assembled(model, pose):
    """A position nearby that satisfies the joints, by Newton's method; None if there is none."""
    for _ in range(60):
        residual, jacobian = system(model, pose)
        if not len(residual) or np.abs(residual).max() < 1e-13:
            return pose
        pose = pose.moved(-np.linalg.lstsq(jacobian, residual, rcond=1e-10)[0])
    return pose if np.abs(residual).max() < 1e-11 else None


def rank_and_null_space(model, pose):
    jacobian = system(model, pose)[1]
    if not len(jacobian):
        return 0, np.eye(jacobian.shape[1])
    _, s, vt = np.linalg.svd(jacobian)
    rank = int((s > RANK_TOLERANCE * s[0]).sum())
    if rank < len(s) and s[rank] * CLEAR_GAP > s[rank - 1]:
        print(f"{model.file}: rank {rank} is not clear: {s[rank - 1]:.2e}, then {s[rank]:.2e}",
              file=sys.stderr)
    return rank, vt[rank:].T


def ranks(model):
    """Rank of all joint rows in the design position, and the highest one nearby."""
    random = np.random.default_rng(1)
    design = assembled(model, Pose(model))
    if design is None:
        sys.exit(f"{model.file}: the joints do not meet")
    here, null = rank_and_null_space(model, design)
    generic = here
    for _ in range(NEIGHBOURS if null.shape[1] else 0):
        step = null @ random.standard_normal(null.shape[1])
        pose = assembled(model, design.moved(step * STEP / np.abs(step).max()))
        if pose:
            generic = max(generic, rank_and_null_space(model, pose)[0])
    return here, generic


# ---- the table ---------------------------------------------------------------------------------

def expected(file):
    model = Model(file)
    tree, cut, floating = lightest_tree(model)
    coordinates = 6 * floating + sum(j.coordinates for j in tree)
    constraints = sum(j.rows for j in cut) + sum(j.type == "distance" for j in tree)
    all_rows = sum(j.rows for j in model.joints)
    here, generic = ranks(model)
    dof = 6 * len(model.bodies) - generic
    redundant = all_rows - generic
    assert dof == coordinates - (constraints - redundant), f"{file}: tree and rank disagree"
    weight = sum(j.weight for j in tree)
    return [file, len(model.bodies), len(model.joints), len(cut), f"{weight:.1f}", coordinates,
            constraints, dof, redundant, int(here < generic), all_rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", action="store_true", help="weights of all spanning trees")
    parser.add_argument("file", nargs="*")
    args = parser.parse_args()
    files = args.file
    if not files:
        os.chdir(pathlib.Path(__file__).resolve().parent.parent)
        files = [f.as_posix() for folder in ("models", "test/models")
                 for f in sorted(pathlib.Path(folder).glob("*.yaml"))]
    if args.trees:
        for file in files:
            print(file, *(f"{w:.1f}" for w in sorted(all_trees(Model(file)))))
        return
    print(",".join(COLUMNS))
    for file in files:
        print(",".join(str(x) for x in expected(file)), flush=True)


if __name__ == "__main__":
    main()
