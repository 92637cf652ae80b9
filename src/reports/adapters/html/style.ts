/**
 * A light style for the screen and for A4. Drawings are 720 pixels wide with letters of 11 pixels. On a narrow screen,
 * drawings shrink to 660 pixels at the least, with letters of 10 pixels. If content is wider than the page, a shadow at
 * an edge shows that the content continues.
 */
export const style = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #f3f4f6; color: #1f2937; font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
main { max-width: 800px; margin: 0 auto; padding: 28px 40px 48px; background: #fff; }
h1 { font-size: 24px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 19px; line-height: 1.25; margin: 0 0 12px; overflow-wrap: anywhere; }
h3, figcaption { font-size: 14px; font-weight: 600; margin: 0 0 6px; color: #111827; }
p { margin: 0 0 8px; }
.muted { color: #4b5563; }
.small { font-size: 12px; margin-bottom: 22px; }
header { border-bottom: 2px solid #0f766e; padding-bottom: 12px; margin-bottom: 24px; }
a { color: #0f5f59; }
.business { margin-top: 36px; padding-top: 20px; border-top: 1px solid #d1d5db; }
.keys { display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; margin: 0 0 22px; }
.keys div { border: 1px solid #e5e7eb; border-radius: 6px; padding: 8px 10px; min-width: 0; }
.keys dt { font-size: 12px; color: #4b5563; }
.keys dd { margin: 0; font-size: 19px; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.keys dd + dd { font-size: 12px; font-weight: 500; color: #374151; }
figure, .block { margin: 0 0 22px; break-inside: avoid; }
.wide { overflow-x: auto; margin: 0 0 22px; background: linear-gradient(to right, #fff 18px, #fff0) 0 0 / 36px 100%
  no-repeat local, linear-gradient(to left, #fff 18px, #fff0) 100% 0 / 36px 100% no-repeat local,
  linear-gradient(to right, #64748b73, #64748b00) 0 0 / 18px 100% no-repeat scroll,
  linear-gradient(to left, #64748b73, #64748b00) 100% 0 / 18px 100% no-repeat scroll; }
figure .wide { margin: 0; }
figure svg { display: block; width: 100%; min-width: 660px; height: auto; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0 0 2px; font-size: 12px; color: #374151; }
.legend i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px; }
.empty { border: 1px dashed #d1d5db; border-radius: 6px; padding: 14px; color: #4b5563; text-align: center; }
table { border-collapse: collapse; width: 100%; font-size: 12px; }
caption { text-align: left; font-size: 14px; font-weight: 600; color: #111827; padding-bottom: 6px; }
th, td { padding: 4px 6px; border-bottom: 1px solid #e5e7eb; text-align: right; vertical-align: top;
  font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1px solid #9ca3af; color: #374151; font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
tbody th { font-weight: 500; }
td { white-space: nowrap; }
th:first-child { width: 26%; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
footer { margin-top: 28px; padding-top: 10px; border-top: 1px solid #e5e7eb; font-size: 12px; color: #4b5563; }
@media (max-width: 640px) {
  main { padding: 16px; }
  .keys { grid-template-columns: repeat(2, 1fr); }
  table { font-size: 11px; }
}
@page { size: A4; margin: 14mm 13mm; }
@media print {
  body { background: #fff; font-size: 12px; }
  main { max-width: none; padding: 0; }
  .wide { overflow: visible; background: none; }
  figure svg { min-width: 0; }
  tbody th { overflow-wrap: anywhere; }
  .business { break-before: page; border-top: 0; padding-top: 0; margin-top: 0; }
  h2, h3, figcaption, caption { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
`;
