import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "../settings/page.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { key, readSender, type Sender } from "./senders.ts";

interface Props {
  readonly id: number;
  readonly title: string;
  readonly onClose: () => void;
  /** Renders the dialog of the loaded sender. */
  readonly children: (sender: Sender) => ReactNode;
}

/** Loads the sender that the URL names, since the loaded pages of the list may not contain it. */
export function SenderDialog({ id, title, onClose, children }: Props) {
  const { data, error } = useQuery({
    queryKey: ["admin", key, id],
    queryFn: () => readSender(id),
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  if (data) return children(data);
  return (
    error && (
      <Dialog opened onClose={onClose} title={title}>
        <Failure error={error} />
      </Dialog>
    )
  );
}
