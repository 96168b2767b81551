"""The build hook of wheels: with `COTERIE_BUILD_KERNELS=1`, they hold compiled functions.

The functions run on every x86-64 processor with AVX2, with the versions of Python and Numba that
compile them here. Everywhere else, Coterie compiles its functions itself, as it does when it is
installed from a wheel without them. See "Compiled kernels" in CONTRIBUTING.md.
"""

import os
import runpy
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REQUEST = "COTERIE_BUILD_KERNELS"
NEEDED = ("numba", "numpy", "scipy", "sklearn", "rapidfuzz", "lightgbm")
INSIDE = "coterie/_kernels/compiled"


class Kernels(BuildHookInterface):
    """Compile the functions that the documented uses of Coterie need, and add them to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the wheel is an editable one or compiled functions are not requested."""
        if version != "standard" or os.environ.get(REQUEST, "") in {"", "0"}:
            return
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            raise SystemExit(
                f"{REQUEST} needs the packages that Coterie needs, but {', '.join(missing)} cannot "
                "be imported; install them, and build with --no-build-isolation"
            )
        self.temporary = tempfile.TemporaryDirectory(prefix="coterie-kernels-")
        folder = Path(self.temporary.name, "compiled")
        compile_into(folder, Path(self.root, "src"), Path(self.temporary.name))
        for path in sorted(folder.glob("*.nbc")):
            build_data["force_include"][str(path)] = f"{INSIDE}/{path.name}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary files."""
        if hasattr(self, "temporary"):
            self.temporary.cleanup()


def compile_into(folder: Path, sources: Path, temporary: Path) -> None:
    """Run `coterie warm` with these sources, for any processor with AVX2."""
    target = runpy.run_path(str(sources / "coterie" / "_kernels" / "targets.py"))
    if not target["has_features"]():
        raise SystemExit(f"{REQUEST} needs an x86-64 processor with AVX2; build without it")
    environment = {
        **os.environ,
        "PYTHONPATH": str(sources),
        "NUMBA_CPU_NAME": target["CPU_NAME"],
        "NUMBA_CPU_FEATURES": target["CPU_FEATURES"],
        "NUMBA_DISABLE_INTEL_SVML": "1",  # not every computer has this library
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR") or str(temporary / "cache"),
    }
    command = [sys.executable, "-m", "coterie", "warm", "--output", str(folder)]
    subprocess.run(command, env=environment, check=True)  # noqa: S603
