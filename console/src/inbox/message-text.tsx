import type { ReactNode } from "react";
import styles from "./thread.module.css";

/** An address does not end with punctuation or a closing bracket. */
const address = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'»]/g;

/** Addresses in the text become links. Nothing is loaded before a click. */
export function MessageText({ text }: { readonly text: string }) {
  const parts: (string | { readonly href: string; readonly at: number })[] = [];
  let end = 0;
  for (const { 0: href, index } of text.matchAll(address)) {
    parts.push(text.slice(end, index), { href, at: index });
    end = index + href.length;
  }
  parts.push(text.slice(end));
  return (
    <p className={styles.text} dir="auto">
      {parts.map((part) =>
        typeof part === "string" ? (
          styled(part)
        ) : (
          <a key={part.at} href={part.href} target="_blank" rel="noreferrer noopener">
            {part.href}
          </a>
        ),
      )}
    </p>
  );
}

/**
 * WhatsApp's format: `*bold*`, `_italic_` and `~struck~`. The signs must touch the text between them, and must not
 * touch a letter or a digit outside.
 */
const marked = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u;
const elements = { "*": "strong", _: "em", "~": "s" } as const;

function styled(text: string): ReactNode {
  const found = marked.exec(text);
  if (!found) return text;
  const [whole, sign, inner = ""] = found;
  const Element = elements[sign as keyof typeof elements];
  return (
    <>
      {text.slice(0, found.index)}
      <Element>{styled(inner)}</Element>
      {styled(text.slice(found.index + whole.length))}
    </>
  );
}
