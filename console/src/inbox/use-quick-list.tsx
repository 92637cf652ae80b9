import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { Chat } from "../shared/api.ts";
import { askedIn, type QuickReply, useQuickReplies } from "./quick-replies.ts";
import { optionId, QuickReplyList } from "./quick-reply-list.tsx";
import type { ComposerField } from "./use-composer-text.ts";

interface QuickSettings {
  readonly text: string;
  readonly field: ComposerField;
  readonly isOff: boolean;
}

/** The list of quick replies that a `/` in the text opens. The text field passes key presses to `onKeyDown`. */
export function useQuickList(
  chat: Chat,
  { text, field, isOff }: QuickSettings,
  onChoose: (reply: QuickReply, from: number, to: number) => void,
) {
  const id = useId();
  const [asked, setAsked] = useState<string | null>(null);
  const [isClosed, setClosed] = useState(false);
  const [chosen, setChosen] = useState(0);
  const shown = isOff || isClosed ? null : asked;
  const replies = useQuickReplies(chat, shown);
  const place = Math.min(chosen, Math.max(0, replies.found.length - 1));
  const look = (): void => {
    const element = field.current;
    const next =
      element && element.selectionStart === element.selectionEnd
        ? askedIn(element.value, element.selectionStart)
        : null;
    if (next === asked) return;
    setAsked(next);
    setChosen(0);
    if (next === null) setClosed(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search is part of the text.
  useEffect(look, [text]);
  const choose = (reply: QuickReply): void => {
    const end = field.current?.selectionStart ?? text.length;
    onChoose(reply, end - (asked?.length ?? 0) - 1, end);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setChosen((place + 1) % Math.max(1, replies.found.length)),
    ArrowUp: () => setChosen((place - 1 + replies.found.length) % Math.max(1, replies.found.length)),
    Enter: () => replies.found[place] && choose(replies.found[place]),
    Tab: () => replies.found[place] && choose(replies.found[place]),
    Escape: () => setClosed(true),
  };
  /** Returns whether the list used the key. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const act = shown === null || event.shiftKey ? undefined : keys[event.key];
    // Enter after a search without results must not send the text.
    const isMine = replies.found.length > 0 || event.key === "Escape" || event.key === "Enter";
    if (!act || !isMine) return false;
    event.preventDefault();
    act();
    return true;
  };
  const isOpen = shown !== null;
  return {
    onKeyDown,
    onSelect: look,
    // Without a `/` before the cursor, `isClosed` stays false, so that the next `/` opens the list.
    close: () => setClosed(asked !== null),
    aria:
      isOpen && replies.found.length > 0
        ? ({ "aria-autocomplete": "list", "aria-controls": id, "aria-activedescendant": optionId(id, place) } as const)
        : {},
    list: isOpen && (
      <QuickReplyList id={id} asked={shown} replies={replies} chosen={place} onPoint={setChosen} onChoose={choose} />
    ),
  };
}
