# SPDX-License-Identifier: MIT
"""Puts the models that ship and libaugur_models.so into the wheel: the file that AUGUR_MODELS_LIBRARY names, or one that CMake builds for any
processor of this architecture."""
import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Build(build_py):
    def run(self):
        super().run()
        built = os.environ.get("AUGUR_MODELS_LIBRARY")
        if not built:
            folder = os.path.abspath(os.path.join(self.build_lib, "..", "cmake"))
            options = ("-DCMAKE_BUILD_TYPE=Release", "-DAUGUR_NATIVE=OFF", "-DAUGUR_TESTS=OFF", "-DAUGUR_CUDA=off")
            jobs = str(os.cpu_count() or 1)
            subprocess.check_call(["cmake", "-S", SOURCES, "-B", folder, *options])
            subprocess.check_call(["cmake", "--build", folder, "--target", "augur_models", "-j", jobs])
            built = os.path.join(folder, "bin", "libaugur_models.so")
        package = os.path.join(self.build_lib, "augur_models")
        self.copy_file(built, os.path.join(package, "libaugur_models.so"))
        shutil.copytree(os.path.join(SOURCES, "examples", "models"), os.path.join(package, "share", "augur", "models"),
                        ignore=shutil.ignore_patterns("*.sh"), dirs_exist_ok=True)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
