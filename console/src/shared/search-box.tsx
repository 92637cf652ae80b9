import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type Ref, useEffect, useRef, useState } from "react";
import { Icon } from "./icons.tsx";

const searchPauseMs = 250;

interface SearchBoxProps {
  readonly label: string;
  /** The text in the URL. */
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly mostCharacters?: number;
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/** Searches after a pause in typing. If the URL changes, as by the Back button, the box shows the new text. */
export function SearchBox({ label, q, onSearch, mostCharacters = 100, className, ref }: SearchBoxProps) {
  const [text, setText] = useState(q);
  const [typed] = useDebouncedValue(text.trim(), searchPauseMs);
  /** The last text that the URL and the box had in common. */
  const agreed = useRef(q);
  useEffect(() => {
    if (q === agreed.current) return;
    agreed.current = q;
    setText(q);
  }, [q]);
  useEffect(() => {
    // After a change of the URL, `typed` still is the old text, which must not be searched for again.
    if (typed === agreed.current || typed !== text.trim()) return;
    agreed.current = typed;
    onSearch(typed);
  }, [typed, text, onSearch]);
  return (
    <TextInput
      ref={ref}
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={mostCharacters}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<Icon name="search" size={18} />}
      className={className}
    />
  );
}
