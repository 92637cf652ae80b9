import { Button, Group, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../shared/panel.tsx";

interface Leaving {
  readonly leave: () => void;
  readonly question: ReactNode;
}

/** Asks before what was typed is lost. */
export function useLeaving(isDirty: boolean, onLeave: () => void): Leaving {
  const { t } = useTranslation("contacts");
  const [isAsking, setAsking] = useState(false);
  const stay = (): void => setAsking(false);
  const question = (
    <Dialog opened={isAsking} onClose={stay} title={t("leave.title")}>
      <Text>{t("leave.lead")}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLeave}>
          {t("leave.discard")}
        </Button>
        <Button data-autofocus onClick={stay}>
          {t("leave.stay")}
        </Button>
      </Group>
    </Dialog>
  );
  // The dialog would hear the same Escape key, and close at once.
  const leave = (): void => (isDirty ? void setTimeout(() => setAsking(true)) : onLeave());
  return { leave, question };
}
