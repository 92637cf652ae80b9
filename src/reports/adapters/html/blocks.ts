import type { Money } from "../../../kernel/money.ts";
import { escaped, money } from "./format.ts";

type KeyFigure = readonly [name: string, value: string, more?: string];

export const keyFigures = (figures: readonly KeyFigure[]): string => {
  const cells = figures.map(([name, value, more]) => {
    const second = more === undefined ? "" : `<dd>${escaped(more)}</dd>`;
    return `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>${second}</div>`;
  });
  return `<dl class="keys">${cells.join("")}</dl>`;
};

export const empty = (text: string): string => `<p class="empty">${escaped(text)}</p>`;

/** Lets content scroll sideways if it is wider than the page. */
export const wide = (html: string): string => `<div class="wide">${html}</div>`;

/** A drawing with a title, and a description for screen readers. */
export const figure = (title: string, description: string, drawing: string): string =>
  `<figure><figcaption>${escaped(title)}</figcaption><div role="img" aria-label="${escaped(description)}">${drawing}</div></figure>`;

export const nothing = (title: string, text: string): string =>
  `<div class="block"><h3>${escaped(title)}</h3>${empty(text)}</div>`;

export const cash = (amount: Money, currency: string): string => escaped(money(amount, currency));

/** Cells are HTML already. The first cell of each row is its heading. */
export function table(caption: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${escaped(heading)}</th>`).join("");
  const body = rows.map(([name = "", ...cells]) => {
    const rest = cells.map((cell) => `<td>${cell}</td>`).join("");
    return `<tr><th scope="row">${name}</th>${rest}</tr>`;
  });
  const named = caption === "" ? "" : `<caption>${escaped(caption)}</caption>`;
  return wide(`<table>${named}<thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`);
}
