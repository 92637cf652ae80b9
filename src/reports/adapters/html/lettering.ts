/** Estimates the greatest possible width of a text in a drawing, in pixels. Only the browser knows the real width. */
export const widthOf = (text: string): number =>
  Math.ceil([...text].reduce((width, letter) => width + unitsOf(letter), 0) * letterWidth);

/** The width of a usual letter in pixels, in a wide font of the size that drawings use. */
const letterWidth = 7;

/** The largest width of a name beside a bar, in widths of a usual letter. */
const mostUnits = 25;

export function cut(name: string): string {
  const letters = [...name.replaceAll(/\s+/g, " ")];
  let width = 0;
  const fitting = letters.findIndex((letter) => {
    width += unitsOf(letter);
    return width > mostUnits;
  });
  return fitting === -1
    ? letters.join("")
    : `${letters
        .slice(0, fitting - 1)
        .join("")
        .trim()}…`;
}

/** How many usual letters wide a letter is. Capitals, `m`, `w`, `@`, East Asian characters and emoji are wider. */
const unitsOf = (letter: string): number =>
  /[\p{Lu}mw@]/u.test(letter) ? 1.35 : letter.charCodeAt(0) > 0x2e80 ? 2 : 1;
