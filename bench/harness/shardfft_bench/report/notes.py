"""Definitions of the pictures and tables of a page, for their readers."""

from __future__ import annotations

NOTES = {
    "overview": "Each library's median time over the best library's at the same point: 1 is the fastest.",
    "scaling": "Median over all repeats of all rounds; a repeat is the slowest rank's time. Bars at a point: the "
    "bootstrapped 95 % interval of the median, over rounds first and samples second. Ideal: the best "
    "time at the fewest ranks, divided by the ranks.",
    "efficiency": "Efficiency: t1 / (N tN), where t1 is the time of the fastest library at the fewest ranks, times "
    "these ranks, and tN that of the library at N ranks: below 100 % for all but one library already "
    "at the start. Bars: the interval of tN.",
    "weak": "Median time with the same number of points for every rank; constant is ideal. Bars at a point: "
    "the bootstrapped 95 % interval of the median, over rounds first and samples second.",
    "bars": "Median over all repeats of all rounds. Bars at a point: the bootstrapped 95 % interval of the "
    "median, over rounds first and samples second. Hollow: one process with threads.",
    "breakdown": "The median time, cut by the share that MPI's profiling interface saw inside MPI calls of the "
    "rank that was longest there. Grey: no call was seen.",
    "accounts": "The median time, cut in the shares of each library's own timers, in its own words.",
    "ratio": "Time inside MPI calls over the whole, of the rank where that is largest. Packing and local "
    "transposition are outside. Bars: the least and the largest of the rounds.",
    "told": "r = 1 - time in local FFTs / whole time, means of the ranks; local FFTs by the library's "
    "account, or by its calls of FFTW and MKL. Bars: the least and the largest of the rounds.",
    "replayed": "r = 1 - time of the local FFTs alone, all ranks at once, / whole time, means of the ranks. Bars: "
    "the least and the largest of the rounds.",
    "grids": "Median time for each shape of the process grid; colour: over the best of the row.",
    "accuracy": "Relative L2 error of the last result against exact values; tolerance: above it a library is not "
    "timed.",
    "energy": "Joules of a repeat, all that could be counted; what was counted for less than half a second is "
    "left out.",
    "roofline": "Speed by 5 N log2 N operations a transform. The bound: what must change its rank, at the "
    "bandwidth that was measured in the same results.",
    "bandwidth": "Bytes that a rank sends in a second, by the median of the repeats; both directions count where "
    "both are used.",
}
COLUMNS_NOTE = (
    "“Over best”: over the fastest of several processes. “To move”: what must change its rank, one way, "
    "between the layouts of field and spectrum; “sent”: what MPI's profiling interface counted in a "
    "repeat; both of the largest rank. “In MPI”: share of the time inside MPI calls. “r”: share of the "
    "time not spent in local FFTs, told by the library or by its calls of FFTW and MKL; replayed: by its "
    "local FFTs alone, run again on all ranks at once. “CPU”: user and system time of all ranks."
)
