"""tools/lengths.py counts the lines of functions in C++ and Python."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("lengths", ROOT / "tools" / "lengths.py")
lengths = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lengths)

CODE = """\
#define BEGIN(x) if (x) {
namespace a {
/// Not a { function }.
int one(int x) { return x; }
template <class T>
class B {
  B() : text_("}"),
        other_{1} {
    if (text_ == R"(})") {
      return;
    }
  }
  auto three(const char* c = "{;")
      -> int {
    const auto lambda = [&](char d) {
      return d == '{';
    };
    return 1;
  }
};
}
"""


def test_c_functions():
    found = dict(lengths.c_functions(CODE))
    assert found["one"] == 1 and found["three"] == 7
    assert found["B"] == 6 and "if" not in found and "a" not in found


def test_python_functions(tmp_path, monkeypatch, capsys):
    file = tmp_path / "long.py"
    file.write_text("def f():\n" + "    pass\n" * 60 + "\n" * 400)
    assert [(lines, limit) for _, lines, limit in lengths.lengths(file)] == [(461, 400), (61, 60)]
    monkeypatch.setattr("sys.argv", ["lengths.py", str(file)])
    assert lengths.main()
    assert f"{file}: f has 61 lines; at most 60 are allowed" in capsys.readouterr().out
    monkeypatch.setattr(lengths, "EXCEPTIONS", {str(file): 461, f"{file}: f": 61})
    assert not lengths.main()
