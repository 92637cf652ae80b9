import { FileButton as PlainFileButton } from "@mantine/core";
import { type ReactNode, useRef } from "react";

interface FileButtonProps {
  readonly accept?: string;
  readonly onChoose: (file: File) => void;
  readonly children: (props: { readonly onClick: () => void }) => ReactNode;
}

/** A button that opens the browser's choice of a file. */
export function FileButton({ accept, onChoose, children }: FileButtonProps) {
  const empty = useRef<() => void>(null);
  return (
    <PlainFileButton
      {...(accept !== undefined && { accept })}
      resetRef={empty}
      onChange={(file) => {
        // Browsers report no change if the same file is chosen again, so the field is emptied.
        empty.current?.();
        if (file) onChoose(file);
      }}
    >
      {children}
    </PlainFileButton>
  );
}
