/** The largest width in pixels that a text of a drawing may have. Only the browser knows the letters' real width. */
export const widthOf = (text: string): number =>
  Math.ceil([...text].reduce((width, letter) => width + unitsOf(letter), 0) * letterWidth);

/** The width in pixels of a letter in a wide font, at the size of the drawings. */
const letterWidth = 7;

/** The most letters that fit beside a bar. The tables have the full names. */
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

/** Capitals and letters of other scripts are wider. */
const unitsOf = (letter: string): number =>
  /[\p{Lu}mw@]/u.test(letter) ? 1.35 : letter.charCodeAt(0) > 0x2e80 ? 2 : 1;
