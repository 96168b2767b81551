"""How the pages of papers look: on a phone and on a desk, in light and in the dark."""

STYLE = """
:root { color-scheme: light dark; --ground: #fcfcfb; --ink: #1c2127; --dim: #646c76;
  --line: #dfe2e6; --card: #fff; --stripe: #f3f4f5; --link: #0b5cad; --yes: #0f6b3a;
  --no: #a3261f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181b; --ink: #e3e6e9; --dim: #98a1ab; --line: #2f353b; --stripe: #1d2125;
    --card: #171717; --link: #7cb7f2; --yes: #6fcf97; --no: #f2877f; }
  .chart svg { filter: invert(0.91) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .6rem; }
a { color: var(--link); }
.lead { color: var(--dim); margin: 0 0 1.5rem; }
.quick { border-left: 4px solid var(--no); padding-left: .75rem; font-weight: 600; }
section, nav { margin: 0 0 2.75rem; scroll-margin-top: 1rem; }
nav ul { margin: 0; padding-left: 1.2rem; columns: 20rem; column-gap: 2.5rem; }
nav li { break-inside: avoid; margin-bottom: .2rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .75rem; text-align: right; vertical-align: top; }
thead th, thead td { font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--line);
  background: var(--stripe); }
thead td { color: var(--dim); font-weight: 400; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody td { white-space: nowrap; }
tbody th, thead td { text-align: left; font-weight: 400; position: sticky; left: 0;
  min-width: 7.5rem; max-width: 22rem; }
tbody th { background: var(--ground); overflow-wrap: break-word; }
tbody th, thead td { box-shadow: 1px 0 0 var(--line); }
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
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0;
  font-size: .9rem; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
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
  body { background: #fff; }
  section { break-inside: avoid; }
  .wide { overflow: visible; border: 0; }
}
"""
