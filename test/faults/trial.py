"""trial.py: what the programs of this folder share: a command, run in a folder of its own, and what is left there."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # s, for a command that takes some hundredths: what takes longer hangs

PENDULUM = str(ROOT / "models/pendulum.yaml")
STOPPING = "jounce: 1\nscenario: stops early\nend: 5\nstop: {low: {channel: P.y, below: -0.05}}\n"
POINTS = "kappa,alpha_rad,gamma_rad,Fz_N,p_Pa,vx_mps\n0.01,0,0,4000,,10\n0,0.02,0,4000,,10\n"


class Ended:
    def __init__(self, command, arguments, folder, env=None, stdout=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                self.code = subprocess.run([command, *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                           stdout=stdout or out, stderr=err, timeout=PATIENCE).returncode
            except subprocess.TimeoutExpired:
                self.code = "hangs"
            out.seek(0), err.seek(0)
            self.out, self.err = out.read().decode(errors="replace"), err.read().decode(errors="replace")

    def lines(self):
        return [line for line in self.err.splitlines() if line.startswith("jounce: ")]


def files_in(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


def look(command, file, env=None):
    """(outcome, rows) of a result, by the command's own reader; outcome None: it is not in it, a text: it cannot be read."""
    with tempfile.TemporaryDirectory() as own:
        page = Path(own) / "page.html"
        ended = Ended(command, ["plot", str(file), "--out", str(page)], own, env)
        if ended.code != 0:
            return f"cannot be read: exit code {ended.code}, {ended.err.strip()}", 0
        outcome = re.search(r'"outcome":"(\w+)"', page.read_text(errors="replace"))
        return outcome and outcome[1], int(re.search(r"of (\d+) rows", ended.out)[1])


def copy(made, folder):
    shutil.copytree(made, folder, symlinks=True)
