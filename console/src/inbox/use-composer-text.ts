import { type RefObject, useEffect, useRef, useState } from "react";

/**
 * The most characters in the composer. This is far above the limit of every channel, so that the composer can say by
 * how much a text is too long.
 */
export const maxLength = 16_384;

export type ComposerField = RefObject<HTMLTextAreaElement | null>;

/**
 * The composer's text, which is stored as a draft. `insert` adds text at the cursor, or replaces a range. `show` shows
 * a text that is already stored.
 */
export function useComposerText(field: ComposerField, draft: string, onWrite: (text: string) => void) {
  const [text, show] = useState(draft);
  const cursor = useRef<number | null>(null);
  const setText = (value: string): void => {
    show(value);
    onWrite(value);
  };
  const insert = (added: string, from?: number, to?: number): void => {
    const { selectionStart = text.length, selectionEnd = text.length } = field.current ?? {};
    const [start, end] = [from ?? selectionStart, to ?? selectionEnd];
    cursor.current = start + added.length;
    setText((text.slice(0, start) + added + text.slice(end)).slice(0, maxLength));
  };
  useEffect(() => {
    if (cursor.current === null || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  return { text, setText, show, insert };
}
