import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type Ref, useEffect, useRef, useState } from "react";
import { Icon } from "./icons.tsx";

const searchPauseMs = 250;

interface SearchBoxProps {
  readonly label: string;
  /** What the address says. */
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly mostCharacters?: number;
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/** Searches once the typing pauses. It follows the address where that changes by itself, as by the browser's way back. */
export function SearchBox({ label, q, onSearch, mostCharacters = 100, className, ref }: SearchBoxProps) {
  const [text, setText] = useState(q);
  const [typed] = useDebouncedValue(text.trim(), searchPauseMs);
  /** What the address and the box last agreed upon. */
  const agreed = useRef(q);
  useEffect(() => {
    if (q === agreed.current) return;
    agreed.current = q;
    setText(q);
  }, [q]);
  useEffect(() => {
    // A text that came from the address has not passed through the pause yet.
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
