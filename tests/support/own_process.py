"""Processes that MPI does not know as ones of this job."""

import os


def environment(**more):
    """Give this process's environment without what launchers of MPI put into it, and with ``more``.

    A process that finds their variables takes the place of this rank: it waits for the job, or the job for it.
    """
    ours = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "HYDRA_", "HYDI_", "MPI")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more
