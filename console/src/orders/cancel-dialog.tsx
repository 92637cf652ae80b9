import { Button, Group, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../shared/dialog.tsx";

interface CancelDialogProps {
  readonly order: { readonly id: number } | null;
  /** `reason` is null if the user keeps the order. */
  readonly onEnd: (reason: string | null) => void;
}

export function CancelDialog({ order, onEnd }: CancelDialogProps) {
  const { t } = useTranslation("orders");
  const [reason, setReason] = useState("");
  const end = (given: string | null): void => {
    setReason("");
    onEnd(given);
  };
  return (
    <Dialog opened={order !== null} onClose={() => end(null)} title={t("cancel.title", { id: order?.id })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim()) end(reason.trim());
        }}
      >
        <Textarea
          label={t("cancel.reason")}
          data-autofocus
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => end(null)}>
            {t("cancel.keep")}
          </Button>
          <Button type="submit" color="red" disabled={!reason.trim()}>
            {t("cancel.submit")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
