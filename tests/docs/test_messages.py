"""Messages name things: few of them have a clause with "what" or "where" in the place of a noun."""

import messages
import pytest


@pytest.mark.parametrize(("language", "least", "bound"), [("python", 400, 6), ("c++", 500, 0)])
def test_messages_name_things(language, least, bound):
    found = messages.messages(language)
    vague = [f"{file}:{line}: {text}" for file, line, text in found if messages.VAGUE.search(text)]
    assert len(found) > least
    assert len(vague) <= bound, "\n".join(vague)


def test_literals_of_a_statement_are_one_message(tmp_path):
    file = tmp_path / "a.cpp"
    file.write_text('// "no text of a comment"\nfail("a rank of " + name +\n  " does not " "answer it");  f("b");\n')
    assert list(messages.of_cpp(file)) == [(2, "a rank of ... does not answer it")]
