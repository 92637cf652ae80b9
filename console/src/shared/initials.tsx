import type { CSSProperties } from "react";
import styles from "./initials.module.css";

const hues = ["#0d9488", "#2563eb", "#7c3aed", "#c026d3", "#db2777", "#ea580c", "#ca8a04", "#16a34a"];

/** Decoration beside a name. The letters have the color of normal text, which is readable on every hue. */
export function Initials({ name, size = 40 }: { readonly name: string; readonly size?: number }) {
  const place = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7);
  const style = { "--hue": hues[place % hues.length], width: size, height: size, fontSize: size * 0.4 };
  return (
    <span aria-hidden="true" className={styles.initials} style={style as CSSProperties}>
      {initialsOf(name)}
    </span>
  );
}

/**
 * The initials of the first and the last word, the last two digits of a number, or the first character of a name
 * without letters and digits.
 */
function initialsOf(name: string): string {
  // Emoji and signs do not become initials if the name also has letters or digits.
  const words = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}].*/u) ?? []);
  if (/^\+?\d+$/.test(name.trim())) return name.trim().slice(-2);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toLocaleUpperCase() || ([...name.trim()][0] ?? "");
}
