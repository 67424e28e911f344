"""A recipe for Spack: it takes the place of the package.py that `spack create --skip-editor --name shardfft` makes.

There are no archives to download: build a checkout with `spack dev-build shardfft@0.2.0` (Spack 1.0 or newer), and try
it with `spack test run shardfft`.
"""

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Shardfft(CMakePackage):
    """Multi-dimensional FFTs of arrays that are distributed over many processes."""

    license("BSD-3-Clause")
    test_requires_compiler = True

    version("0.2.0")

    variant("shared", default=True, description="A shared library, with a static one beside it")
    variant("fftw", default=True, description="FFTW; without it prime lengths and cosines are slow")
    variant("blas", default=True, description="A BLAS with CBLAS for products of matrices")
    variant("fortran", default=False, description="The Fortran module")
    variant("compat", default=False, description="FFTW's MPI interface and the library to preload under LAMMPS")
    variant("cuda", default=False, description="Plans on NVIDIA's GPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type=("build", "run"))  # tests build programs
    depends_on("mpi")
    depends_on("fftw-api@3", when="+fftw")
    depends_on("fftw@3.3:+mpi precision=double,float", when="+compat")
    depends_on("openblas", when="+blas")
    depends_on("cuda@12:", when="+cuda")

    conflicts("~fftw", when="+compat", msg="FFTW's MPI interface needs FFTW")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SHARDFFT_FFTW", "fftw"),
            self.define_from_variant("SHARDFFT_FORTRAN", "fortran"),
            self.define_from_variant("SHARDFFT_COMPAT", "compat"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CBLAS", "~blas" in self.spec),
            self.define("SHARDFFT_GPU", "CUDA" if "+cuda" in self.spec else "OFF"),
            self.define("SHARDFFT_MKL", "OFF"),
        ]

    @run_after("install")
    def keep_programs(self):
        cache_extra_test_sources(self, "tests/packages/consumer")

    def test_programs(self):
        """compile programs and run them on two ranks"""
        sources = join_path(self.test_suite.current_test_cache_dir, "tests", "packages", "consumer")
        languages = ["c", "cxx"] + (["fortran"] if "+fortran" in self.spec else [])
        cmake = self.spec["cmake"].command
        cmake(
            *("-S", sources, "-B", "programs", self.define("HOW", "installed")),
            self.define("WITH_FORTRAN", "+fortran" in self.spec),
            self.define("CMAKE_PREFIX_PATH", self.prefix),
        )
        cmake("--build", "programs")
        mpirun = Executable(self.spec["mpi"].prefix.bin.mpirun)
        for language in languages:
            with test_part(self, f"test_programs_{language}", purpose=f"a program in {language}"):
                mpirun("-n", "2", f"programs/in_{language}")
