import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Icon } from "../shared/icons.tsx";
import styles from "./settings.module.css";

const searchPauseMs = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly q: string;
  readonly onChange: (q: string) => void;
}

/** Searches once the typing pauses. */
export function SearchField({ label, q, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(q);
  const [settled] = useDebouncedValue(typed.trim(), searchPauseMs);
  // Only what is typed counts: the address may change by going back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (settled !== q) onChange(settled);
  }, [settled]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={100}
      leftSection={<Icon name="search" size={18} />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      className={styles.search}
    />
  );
}
