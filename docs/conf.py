"""The settings of Sphinx. `make site` builds the site from these pages and from those that scripts/site.py makes."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

from actgrad import __version__

project = "actgrad"
author = project_copyright = "The actgrad authors"
version = release = __version__

extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4  # as git forges make anchors
suppress_warnings = ["misc.highlighting_failure"]  # prompts and "..." in console blocks
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
python_maximum_signature_line_length = 88
smartquotes = False
toc_object_entries = False

html_theme = "furo"
html_title = f"actgrad {version}"
html_static_path = ["stylesheets"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#00597f", "color-brand-content": "#00597f"},
    "dark_css_variables": {"color-brand-primary": "#6cc0ea", "color-brand-content": "#6cc0ea"},
}


def setup(app: Sphinx) -> None:
    """Write mathematics as MathML: browsers show it without a script from elsewhere."""

    def inline(writer: nodes.NodeVisitor, node: nodes.Element) -> None:
        _write(writer, tex2mathml(node.astext()))

    def block(writer: nodes.NodeVisitor, node: nodes.Element) -> None:
        _write(writer, f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')

    app.add_html_math_renderer("mathml", (inline, None), (block, None))


def _write(writer: nodes.NodeVisitor, text: str) -> None:
    writer.body.append(text)
    raise nodes.SkipNode
