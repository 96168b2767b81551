"""The frame and the style of all HTML pages; a page loads no other file and runs no script."""

from collections.abc import Iterable

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(title: str, body: Iterable[str], style: str = "") -> str:
    """Return a page with a title and a body; both must be HTML already.

    `style` holds the CSS rules of this page, which follow the rules of all pages.

    >>> document("A &amp; B", ["<p>Text.</p>"]).splitlines()[-3:]
    ['<body><main>', '<p>Text.</p>', '</main></body></html>']
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>",
            f"<style>{STYLE}{style}</style></head>",
            "<body><main>",
            *body,
            "</main></body></html>\n",
        ]
    )


def palette(light: str, dark: str) -> str:
    """Return CSS rules that define named colours for light screens, dark screens and print.

    >>> palette("--ink: #000;", "--ink: #fff;").splitlines()[1]
    '@media (prefers-color-scheme: dark) { :root {--ink: #fff;} }'
    """
    return (
        f":root {{{light}}}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{{dark}}} }}\n"
        f"@media print {{ :root {{{light}}} }}\n"
    )


LIGHT = """
  --ground: #fcfcfb; --ink: #1c2127; --dim: #5d6570; --line: #dfe2e6; --stripe: #f3f4f5;
  --link: #0b5cad;
"""
DARK = """
  --ground: #15181b; --ink: #e3e6e9; --dim: #a0a9b3; --line: #30363d; --stripe: #1d2125;
  --link: #7cb7f2;
"""

STYLE = (
    "\n:root { color-scheme: light dark; }\n"
    + palette(LIGHT, DARK)
    + """\
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; text-wrap: balance;
  overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .6rem; }
a { color: var(--link); }
section { margin: 0 0 2.75rem; scroll-margin-top: 1rem; }
dl { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: .25rem 1.25rem;
  margin: 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
dt { color: var(--dim); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { vertical-align: top; }
thead th, thead td { font-weight: 600; vertical-align: bottom; background: var(--stripe);
  border-bottom: 1px solid var(--line); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody th { font-weight: 400; position: sticky; left: 0; background: var(--ground);
  box-shadow: 1px 0 0 var(--line); overflow-wrap: break-word; }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; }
  .wide { overflow: visible; border: 0; }
}
"""
)
"""CSS rules of all pages: for small and large screens, light and dark, and for print."""
