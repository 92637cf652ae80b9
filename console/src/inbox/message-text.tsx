import type { ReactNode } from "react";
import styles from "./thread.module.css";

/** Up to the last character that ends no sentence and closes no bracket. */
const address = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'»]/g;

/** Addresses in it can be followed; nothing of them is loaded before. */
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

/** What stands between two signs, which touch it and no other letter: `*negrita*`, `_cursiva_`, `~tachado~`. */
const marked = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u;
const elements = { "*": "strong", _: "em", "~": "s" } as const;

/** As WhatsApp shows it. */
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
