"""The style sheet for tables, claims and charts, in addition to the style of all pages."""

from coterie.report.document import palette

STYLE = (
    palette(
        "--card: #fff; --yes: #0f6b3a; --no: #a3261f;",
        "--card: #171717; --yes: #6fcf97; --no: #f2877f;",
    )
    + """\
@media screen and (prefers-color-scheme: dark) {
  .chart svg { filter: invert(0.91) hue-rotate(180deg); }
}
main { max-width: 64rem; }
h1 { margin-bottom: .5rem; }
h2 { font-size: 1.15rem; }
.lead { color: var(--dim); margin: 0 0 1.5rem; }
.quick { border-left: 4px solid var(--no); padding-left: .75rem; font-weight: 600; }
nav { margin: 0 0 2.75rem; scroll-margin-top: 1rem; }
nav ul { margin: 0; padding-left: 1.2rem; columns: 20rem; column-gap: 2.5rem; }
nav li { break-inside: avoid; margin-bottom: .2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .4rem .75rem; text-align: right; }
thead td { color: var(--dim); font-weight: 400; position: sticky; left: 0;
  box-shadow: 1px 0 0 var(--line); }
tbody td { white-space: nowrap; }
tbody th, thead td { text-align: left; min-width: 7.5rem; max-width: 22rem; }
.paper, td small { color: var(--dim); }
td small { display: block; font-size: .8rem; line-height: 1.3; white-space: nowrap; }
.claims tbody th { max-width: none; min-width: 11rem; }
.claims .yes { color: var(--yes); font-weight: 600; }
.claims .no { color: var(--no); font-weight: 600; }
.claims td small { font-weight: 400; }
.chart { margin-top: .75rem; padding: .75rem; background: var(--card); }
.chart svg { display: block; max-width: 100%; min-width: 32rem; height: auto; margin: 0 auto; }
.notes { margin-top: .75rem; font-size: .88rem; line-height: 1.5; color: var(--dim);
  max-width: 48rem; }
.notes p { margin: 0 0 .4rem; overflow-wrap: break-word; }
.notes b { color: var(--ink); }
.missing { margin: .75rem 0 0; font-size: .88rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: .92em; }
@media (max-width: 30rem) {
  h1 { font-size: 1.3rem; }
  th, td { padding: .35rem .55rem; }
  tbody th, thead td { max-width: 9rem; }
  .claims tbody th { min-width: 8rem; }
  .claims tbody td { white-space: normal; }
}
@media print {
  section { break-inside: avoid; }
}
"""
)
