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
          part
        ) : (
          <a key={part.at} href={part.href} target="_blank" rel="noreferrer noopener">
            {part.href}
          </a>
        ),
      )}
    </p>
  );
}
