/** Pixels that a text of a drawing takes at most: in which letters it is shown, only whoever shows it knows. */
export const widthOf = (text: string): number =>
  Math.ceil([...text].reduce((width, letter) => width + unitsOf(letter), 0) * letterWidth);

/** Pixels of a letter of a wide font, at the size that drawings have. */
const letterWidth = 7;

/** Letters that fit beside a bar, whichever they are; the tables have the names in full. */
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
