// How a report looks: one style sheet, for light and dark screens and for paper.
//
// Colours: NewOrder to Deferred (t0 to t5) and the results of a comparison (r0 to r7) are told
// apart by people with any of the common kinds of colour blindness; percentiles (p50, p90, p99) are
// one hue of three lightnesses. No colour is the only bearer of a meaning: judgements have words,
// curves have keys, and from the ninth result on curves have dashes.
#pragma once

#include "report/page/html_writer.h"

namespace drover::report {

inline constexpr std::size_t result_colours = 8;

inline constexpr Literal report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f5f6f7; --card: #ffffff; --ink: #16191d; --muted: #565f6a; --rule: #dde1e6;
  --grid: #e8ebee; --accent: #0a5fb4; --hover: rgba(10, 95, 180, .12);
  --good: #0b6b3a; --good-back: #e3f4ea; --warn: #8a4b00; --warn-back: #fdf0dc;
  --bad: #b3201f; --bad-back: #fde8e7; --warm-up: rgba(110, 120, 132, .13);
  --outage: rgba(200, 35, 30, .16); --outage-edge: #c4231e; --checkpoint: rgba(128, 90, 200, .2);
  --checkpoint-edge: #7048b8;
  --p50: #69a5dd; --p90: #1c6fc0; --p99: #0a3460;
  --t0: #0a62b5; --t1: #cc5500; --t2: #00805c; --t3: #a8468c; --t4: #8c6d00; --t5: #5b6570;
  --r0: #0a62b5; --r1: #cc5500; --r2: #00805c; --r3: #a8468c; --r4: #8c6d00; --r5: #1490b8;
  --r6: #c02942; --r7: #5b6570;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #101316; --card: #191d21; --ink: #e8ebee; --muted: #a3adb8; --rule: #333a42;
    --grid: #282e35; --accent: #6cb4f5; --hover: rgba(108, 180, 245, .16);
    --good: #63cf94; --good-back: #14301f; --warn: #f0b35e; --warn-back: #362610;
    --bad: #ff8d86; --bad-back: #3c1b1a; --warm-up: rgba(150, 162, 175, .12);
    --outage: rgba(255, 100, 90, .2); --outage-edge: #ff7a70; --checkpoint: rgba(170, 140, 240, .2);
    --checkpoint-edge: #b59af0;
    --p50: #3f7fb8; --p90: #6cb4f5; --p99: #cfe7fc;
    --t0: #5aaef2; --t1: #ff9352; --t2: #38c79b; --t3: #e08ecb; --t4: #e0b83a; --t5: #a3adb8;
    --r0: #5aaef2; --r1: #ff9352; --r2: #38c79b; --r3: #e08ecb; --r4: #e0b83a; --r5: #62d3ee;
    --r6: #ff7f90; --r7: #a3adb8;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.skip { position: absolute; left: 8px; top: -60px; padding: 8px 14px; background: var(--card);
  color: var(--accent); border: 2px solid var(--accent); border-radius: 6px; z-index: 9; }
.skip:focus { top: 8px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 32px; }
footer { padding-top: 16px; padding-bottom: 40px; color: var(--muted); font-size: 13px; }
h1 { font-size: 27px; line-height: 1.25; margin: 0 0 4px; letter-spacing: -.01em; }
h2 { font-size: 19px; line-height: 1.3; margin: 0 0 10px; letter-spacing: -.005em; }
h3 { font-size: 16px; line-height: 1.35; margin: 0 0 8px; }
p { margin: 0 0 10px; }
.lead, .note, .about { color: var(--muted); }
.note, .about { font-size: 13px; }
.about { margin: 0 0 8px; max-width: 88ch; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 14px 0 0; font-size: 14px; }
a { color: var(--accent); text-underline-offset: 2px; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 20px 22px; margin: 18px 0; }
section section { border: 0; padding: 0; margin: 26px 0 0; background: none; }
.badge { display: flex; gap: 12px; align-items: baseline; padding: 12px 16px; border-radius: 8px;
  margin: 16px 0; font-size: 17px; font-weight: 600; }
.badge .icon { flex: none; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.badge.good { background: var(--good-back); } .badge.warn { background: var(--warn-back); }
.badge.bad { background: var(--bad-back); } .badge.none { background: var(--grid); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(155px, 1fr)); gap: 10px;
  margin: 10px 0 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 11px 14px; min-width: 0; }
.tiles .name { display: block; color: var(--muted); font-size: 13px; }
.tiles .figure { display: block; font-size: 23px; line-height: 1.25; font-weight: 600;
  letter-spacing: -.01em; margin: 2px 0; }
.tiles .first { font-size: 27px; }
.tiles .extra { display: block; font-size: 12.5px; color: var(--muted); }
.tiles .extra.good { color: var(--good); } .tiles .extra.bad { color: var(--bad); }
.tiles-title { margin: 18px 0 0; color: var(--muted); font-size: 13px; }
.scroll { overflow-x: auto; margin: 0 0 8px; }
.scroll + .scroll { margin-top: 18px; }
table { border-collapse: collapse; font-size: 14px; min-width: 100%; }
caption { text-align: left; color: var(--muted); font-size: 13px; padding: 0 0 6px; }
th, td { text-align: left; padding: 5px 13px 5px 0; vertical-align: top;
  border-bottom: 1px solid var(--grid); unicode-bidi: isolate; overflow-wrap: break-word;
  max-width: 60ch; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 600; font-size: 12.5px; color: var(--muted);
  white-space: normal; border-bottom-color: var(--rule); vertical-align: bottom; }
tbody th { font-weight: 500; }
.n { text-align: right; white-space: nowrap; }
.text { min-width: 15em; max-width: 95ch; }
.judgement { white-space: nowrap; font-weight: 600; }
.judgement .icon { display: inline-block; width: 1.3em; }
.held { color: var(--good); } .broken { color: var(--warn); } .invalid { color: var(--bad); }
.not_judged { color: var(--muted); font-weight: 400; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr));
  gap: 0 36px; }
.columns > * { min-width: 0; }
details { margin: 10px 0 0; }
summary { cursor: pointer; color: var(--accent); font-size: 14px; }
details[open] > summary { margin-bottom: 8px; }
details.result > summary { color: var(--ink); }
details.result > summary h2 { display: inline; }
figure { margin: 18px 0 0; }
figcaption { font-weight: 600; margin: 0 0 4px; }
.small figcaption { font-size: 14px; }
.small .chart .wide { display: none; }
.legend { display: flex; flex-wrap: wrap; gap: 3px 18px; font-size: 13px; color: var(--muted);
  list-style: none; margin: 8px 0 6px; padding: 0; }
.swatch { display: inline-block; width: 14px; height: 10px; margin-right: 6px; border-radius: 2px; }
.swatch.warm-up { background: var(--warm-up); border: 1px solid var(--rule); }
.swatch.outage { background: var(--outage); border-left: 2px solid var(--outage-edge); }
.swatch.checkpoint { background: var(--checkpoint); border-left: 2px solid var(--checkpoint-edge); }
.multiples { display: grid; gap: 8px 28px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); }
.multiples > * { min-width: 0; }
.results { list-style: none; margin: 0; padding: 8px 0; display: flex; flex-wrap: wrap;
  gap: 4px 20px; font-size: 14px; position: sticky; top: 0; background: var(--card); z-index: 2;
  border-bottom: 1px solid var(--grid); max-height: 40vh; overflow: auto; }
.results label { display: flex; gap: 7px; align-items: center; cursor: pointer; }
.results svg { flex: none; }
.change { display: block; font-size: 12px; color: var(--muted); }
.swatch-line { stroke: currentColor; stroke-width: 2.5px; }
.after-chart { margin-top: 26px; }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }

svg.chart { display: block; overflow: visible; margin-left: 62px; width: calc(100% - 78px);
  font-size: 12px; fill: var(--ink); }
svg.curves { overflow: visible; }
.chart .grid { stroke: var(--grid); } .chart .axis { stroke: var(--muted); }
.chart .tick, .chart .x-title { fill: var(--muted); }
.chart .panel-title .name { font-weight: 600; }
.curve path { fill: none; stroke: currentColor; stroke-width: 1.6px; stroke-linejoin: round;
  stroke-linecap: round; vector-effect: non-scaling-stroke; }
.curve path.envelope { fill: currentColor; fill-opacity: .2; stroke: none; }
.chart .key { fill: currentColor; }
.ink { color: var(--ink); } .failed { color: var(--bad); }
.p50 { color: var(--p50); } .p90 { color: var(--p90); } .p99 { color: var(--p99); }
.t0 { color: var(--t0); } .t1 { color: var(--t1); } .t2 { color: var(--t2); }
.t3 { color: var(--t3); } .t4 { color: var(--t4); } .t5 { color: var(--t5); }
.r0 { color: var(--r0); } .r1 { color: var(--r1); } .r2 { color: var(--r2); }
.r3 { color: var(--r3); } .r4 { color: var(--r4); } .r5 { color: var(--r5); }
.r6 { color: var(--r6); } .r7 { color: var(--r7); }
.d1 path.line, line.d1 { stroke-dasharray: 6 4; } .d2 path.line, line.d2 { stroke-dasharray: 2 4; }
svg.chart:has(.curve:hover) .curve:not(:hover) { opacity: .25; }
.curve:hover path.line { stroke-width: 2.6px; }
.limit { stroke: var(--bad); stroke-width: 1.5px; stroke-dasharray: 5 3; }
.limit-label { fill: var(--bad); }
.warm-up rect { fill: var(--warm-up); } .warm-up .edge { stroke: none; }
.outage rect, .stall rect { fill: var(--outage); }
.outage .edge, .stall .edge { stroke: var(--outage-edge); }
.checkpoint rect { fill: var(--checkpoint); }
.checkpoint .edge { stroke: var(--checkpoint-edge); stroke-dasharray: 3 4; }
text.outage, text.stall { fill: var(--bad); } text.checkpoint { fill: var(--checkpoint-edge); }
.event rect { fill: currentColor; fill-opacity: .3; } .event .edge { stroke: currentColor; }
.chart .edge { stroke-width: 1.5px; }
.read-out rect { fill: transparent; }
.read-out text { visibility: hidden; font-weight: 600; }
.read-out:hover rect { fill: var(--hover); }
.read-out:hover text { visibility: visible; }
.read-out:not(.over):hover ~ .panel-title { visibility: hidden; }
.read-out rect.back { visibility: hidden; }
.read-out:hover rect.back { visibility: visible; fill: var(--card); stroke: var(--rule); }
.read-out, .read-out text { pointer-events: none; }
.read-out rect:first-child { pointer-events: all; }
.chart text.stacked { fill: currentColor; }
.chart .label, .limit-label, .panel-title { pointer-events: none; }

body:has(#show-1:not(:checked)) .of-1, body:has(#show-2:not(:checked)) .of-2,
body:has(#show-3:not(:checked)) .of-3, body:has(#show-4:not(:checked)) .of-4,
body:has(#show-5:not(:checked)) .of-5, body:has(#show-6:not(:checked)) .of-6,
body:has(#show-7:not(:checked)) .of-7, body:has(#show-8:not(:checked)) .of-8,
body:has(#show-9:not(:checked)) .of-9, body:has(#show-10:not(:checked)) .of-10,
body:has(#show-11:not(:checked)) .of-11, body:has(#show-12:not(:checked)) .of-12,
body:has(#show-13:not(:checked)) .of-13, body:has(#show-14:not(:checked)) .of-14,
body:has(#show-15:not(:checked)) .of-15, body:has(#show-16:not(:checked)) .of-16,
body:has(#show-17:not(:checked)) .of-17, body:has(#show-18:not(:checked)) .of-18,
body:has(#show-19:not(:checked)) .of-19, body:has(#show-20:not(:checked)) .of-20,
body:has(#show-21:not(:checked)) .of-21, body:has(#show-22:not(:checked)) .of-22,
body:has(#show-23:not(:checked)) .of-23, body:has(#show-24:not(:checked)) .of-24
  { display: none; }

@media (max-width: 640px) {
  body { font-size: 14px; }
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  header { padding-top: 20px; }
  h1 { font-size: 22px; }
  section { padding: 14px 12px; margin: 12px 0; }
  .badge { font-size: 15px; padding: 10px 12px; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); }
  .tiles .figure, .tiles .first { font-size: 19px; }
  svg.chart { margin-left: 54px; width: calc(100% - 62px); font-size: 11px; }
  .chart .wide { display: none; }
}
@media print {
  :root { --page: #fff; }
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  section { border: 0; padding: 0; margin: 14px 0; }
  nav, .skip, .no-print { display: none; }
  h2, h3, figcaption, caption { break-after: avoid; }
  figure, tr, .badge, .tiles li { break-inside: avoid; }
  .tiles { grid-template-columns: repeat(5, 1fr); gap: 6px; }
  .tiles li { padding: 8px 9px; }
  .tiles .figure, .tiles .first { font-size: 15pt; }
  .tiles .name, .tiles .extra { font-size: 8pt; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  .results { position: static; max-height: none; overflow: visible; }
  table { font-size: 8.5pt; } th, td { padding-right: 8px; }
  .text { min-width: 0; }
  details.result { break-before: page; }
  details.result::details-content { display: block; content-visibility: visible;
    block-size: auto; height: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace drover::report
