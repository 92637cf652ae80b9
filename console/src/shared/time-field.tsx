import { TextInput, type TextInputProps } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { readTime, shownTime } from "./time-text.ts";

interface TimeFieldProps extends Pick<TextInputProps, "label" | "aria-label" | "disabled" | "className" | "error"> {
  /** `09:30`; empty if no time is chosen. */
  readonly time: string;
  /** Whether the field may stay empty. If not, an emptied field shows the last time again. */
  readonly mayBeEmpty?: boolean;
  readonly onTime: (time: string) => void;
}

/** A time field in the format of the console's language. A browser's own field uses the browser's language. */
export function TimeField({ time, mayBeEmpty = false, onTime, ...shown }: TimeFieldProps) {
  const { i18n } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const tell = (text: string): void => {
    const read = mayBeEmpty && text.trim() === "" ? "" : readTime(text);
    if (read !== null && read !== time) onTime(read);
  };
  const end = (): void => {
    if (typed !== null) tell(typed);
    setTyped(null);
  };
  return (
    <TextInput
      {...shown}
      autoComplete="off"
      maxLength={12}
      value={typed ?? shownTime(time, i18n.language)}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        // An hour alone may be the beginning of a time with minutes.
        if (value === "" || /\d.*\d\d/.test(value)) tell(value);
      }}
      onKeyDown={(event: KeyboardEvent) => event.key === "Enter" && end()}
      onBlur={end}
    />
  );
}
