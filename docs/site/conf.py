"""Sphinx's settings of the site that ``./run docs`` makes of the pages that stage.py has gathered."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).resolve().parent))
import stand_in

project, author, copyright = "shardfft", "The shardfft authors", "The shardfft authors"
release = version = stand_in.install().__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "breathe"]
root_doc = "docs/index"
exclude_patterns = ["xml"]

myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]
# Every header opens the namespace, C declares a structure beside its name, and attributes of classes share names.
suppress_warnings = ["duplicate_declaration.cpp", "duplicate_declaration.c", "ref.python"]

autodoc_mock_imports = stand_in.MOCKED
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
napoleon_google_docstring, napoleon_numpy_docstring = True, False
napoleon_use_ivar = True

breathe_projects = {name: os.environ["SHARDFFT_SITE_XML"] + f"/{name}/xml" for name in ("cpp", "c")}
breathe_default_project = "cpp"
breathe_domain_by_extension = {"hpp": "cpp", "h": "c"}
breathe_show_include = False
c_id_attributes = cpp_id_attributes = []

html_theme = "furo"
html_title = f"shardfft {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["versions.json", "_extra"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"footer_icons": []}
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/versions.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}


def setup(app):
    """Drawings in Mermaid's language are shown as text: its program would come from the network."""
    app.add_lexer("mermaid", TextLexer)
