"""The arrays of one rank in one call: checked, in the order of their libraries' streams, and a result of their kind."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from .._libraries import array_libraries, gpu_arrays
from .._libraries.array_libraries import library_of

if TYPE_CHECKING:
    from .._layouts.part import Part
    from .._libraries.array_libraries import Library
    from .._libraries.gpu_arrays import Seen


@dataclasses.dataclass(frozen=True)
class Place:
    """The device of a rank of a plan, and its treatment of arrays."""

    device: int = -1  #: -1 for CPUs
    stream: int = 0
    memory: str = "auto"
    asynchronous: bool = False  #: calls do not wait
    joins: bool = False  #: calls are in the order of the libraries' own streams: ``stream`` is the plan's
    in_use: list[Any] = dataclasses.field(default_factory=list)  #: inputs of calls that may not have ended
    _ends: dict[Any, _core.Ends | None] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def owns(self) -> bool:
        """Whether results lie in memory that the plan allocates."""
        return self.memory in ("registered", "managed") and self.device >= 0

    def synchronize(self) -> None:
        """Wait for all calls so far."""
        if self.device >= 0:
            _core.synchronize_stream(self.device, self.stream)
            self.in_use.clear()

    def follow(self, stream: int) -> None:
        """Begin later work after the present work of ``stream``."""
        if stream != self.stream:
            _core.order_streams(self.device, stream, self.stream)

    def lead(self, stream: int) -> None:
        """Let ``stream`` wait for all calls so far."""
        if stream != self.stream:
            _core.order_streams(self.device, self.stream, stream)

    def ends(self, library: Library, source: Part, destination: Part, overwrites: bool) -> _core.Ends | None:
        """Give what takes arrays of a library that can be used as they are; None: no arrays of it can."""
        key = library, source, destination, overwrites
        if key not in self._ends:
            device = self.device
            looks = library.look(source, device, overwrites), library.look(destination, device, True)
            maker = library.maker(destination, device)
            make = None if self.owns else maker or functools.partial(library.new, part=destination)
            current = library.stream_of(device) if device >= 0 and looks[0] is not None else None
            told = make, maker is None, device, self.stream, self.joins, current
            self._ends[key] = None if looks[0] is None or looks[1] is None else _core.Ends(*looks, *told)
        return self._ends[key]

    def hold(self, array: Any) -> None:
        """Keep an array until all calls so far have ended, as far as a look tells."""
        if len(self.in_use) >= _HELD:
            self.synchronize()
        elif self.in_use and _core.stream_is_idle(self.device, self.stream):
            self.in_use.clear()
        self.in_use.append(array)


def places(core: Any, memory: Any, given: bool) -> list[Place]:
    """The devices of the members of a plan; ``given``: on streams of the user's. Collective."""
    members = range(core.members)
    handles, devices = [core.stream(member) for member in members], [core.device(member) for member in members]
    joins = not given and min(devices, default=-1) >= 0
    if joins:
        core.set_streams(handles)  # the plan's own, as if they were the user's: calls do not wait
    return [
        Place(device, handle, memory, joins or given, joins) for device, handle in zip(devices, handles, strict=True)
    ]


#: Inputs of JAX that wait for the end of their calls at once.
_HELD = 16


class Call:
    """Two arrays for the library, and the one that the user gets."""

    def __init__(
        self,
        x: Any,
        out: Any,
        place: Place,
        source: Part,
        destination: Part,
        allocate: Callable[[], _core.Memory],
        overwrites: bool = False,
    ) -> None:
        """See both; ``overwrites``: the call may write into ``x``."""
        if overwrites and getattr(x, "requires_grad", False):
            raise TypeError("x requires gradients, and the backward pass may need x: plan without overwrite_input")
        self._place, self._library, self._like = place, library_of(x), x
        self.ends = place.ends(self._library, source, destination, overwrites)  #: None unless they took the arrays
        taken = None if self.ends is None else self.ends.take(x, out)
        if taken is not None:
            self.source, self.destination, self._current, self._result = taken
            return
        self.ends = None
        self._like = x = self._library.refuse_gradients(x)
        self._side, self._out = destination, out
        self._streams: set[int] = set()  # of the libraries whose arrays are in the order of one
        self._waits = False  # for an array that is in no such order
        self._own = None
        if out is None:
            # Before the input is seen: then its library's pending work is waited for, and some may be on this memory.
            self._own = self._new(allocate)
        seen = self._see_input(x, source)
        if overwrites and not self._library.mutable:
            raise TypeError("x cannot be a JAX array, because those are read-only: plan without overwrite_input")
        source.check(seen, "x", write=overwrites)
        if out is None:
            target = self._see(self._own, "out", gpu_arrays.NO_ORDER)
        else:
            if not library_of(out).mutable:
                raise TypeError("out cannot be a JAX array, because those are read-only: use the returned array")
            target = self._see(library_of(out).refuse_gradients(out), "out", place.stream)
            destination.check(target, "out", write=True)
            if target.address != seen.address and _overlap(target.address, target, seen.address, seen):
                raise ValueError("x and out overlap in part; they must be the same memory or apart")
        self.source, self.destination = seen.address, target.address

    def _see(self, array: Any, name: str, stream: int) -> Seen:
        """See an array; the call begins after the work on it that its library has under way."""
        place, library = self._place, library_of(array)
        seen = library.seen(array, place.device)
        if seen is None:
            # JAX makes the stream wait itself, and takes a result together with the stream that writes it.
            of_jax = not self._library.mutable and (array is self._own or library is self._library)
            self._waits |= not of_jax
            return gpu_arrays.see(array, name, place.device, stream)
        if place.device >= 0:
            current = library.current(place.device)
            if current not in self._streams and array is not self._own:
                place.follow(current)
            self._streams.add(current)
        return seen

    def _see_input(self, x: Any, source: Part) -> Seen:
        self._x = self._library.resolve(x)
        if self._library.mutable or tuple(x.shape) != source.shape:
            seen = self._see(self._x, "x", self._place.stream)
            if not (self._library.reorders and source.would_fit(seen)):
                return seen
            source.note_copy()
            self._x = source.asarray(self._x)  # a copy in the plan's memory order
            self._streams.clear()  # of which the copy is new work
            return self._see(self._x, "x", self._place.stream)
        # JAX has no arrays in other memory orders than C's, but they can be made so that their memory is right.
        self._x = self._library.transpose(x, source._order)
        return self._see(self._x, "x", self._place.stream).transpose(source._places)

    def _new(self, allocate: Callable[[], _core.Memory]) -> Any:
        """Make an array in the memory order of the result."""
        side, place = self._side, self._place
        if self._library.allocates and not place.owns:
            return self._library.empty(self._like, side._memory_shape, side.dtype)
        if place.owns or (place.device >= 0 and _lies_on_gpu(self._like)):
            told = place.asynchronous and not (place.joins and self._library.mutable)
            return side._of_memory(allocate(), place.stream if told else 0)
        return array_libraries.NUMPY.empty(None, side._memory_shape, side.dtype)

    def finish(self) -> Any:
        """After the run: give the result as the user wants it."""
        place, library = self._place, self._library
        if self.ends is not None:
            self.ends.lead(self._current)
            return self._result
        if place.asynchronous:
            self._order_behind()
        if self._out is not None:
            return self._out
        result = self._own
        if library_of(result) is not library:
            result = library.adopt(self._like, result)
        return result if self._side._in_order else library_of(result).transpose(result, self._side._places)

    def _order_behind(self) -> None:
        """Let whoever uses these arrays next wait for the call."""
        place = self._place
        if not self._library.mutable:
            place.hold((self._like, self._x))  # JAX may use their memory anew at any time
        if not place.joins:
            if self._library.mutable and self._x is not self._like:
                place.synchronize()  # a copy that was made here goes now
        elif self._waits:
            place.synchronize()
        else:
            for stream in self._streams:
                place.lead(stream)


def _lies_on_gpu(x: Any) -> bool:
    return gpu_arrays.is_array(x) and gpu_arrays.device_of(x) is not None


def _overlap(begin: int, one: Seen | Part, end: int, other: Seen | Part) -> bool:
    """Whether two arrays, which are dense, share memory behind these addresses."""
    return begin < end + other.nbytes and end < begin + one.nbytes
