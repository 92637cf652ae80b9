import { Button, Group, Text } from "@mantine/core";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "./panel.tsx";

interface Leaving {
  /** A form says whether something was typed that is not saved. */
  readonly setDirty: (isDirty: boolean) => void;
  readonly leave: () => void;
  readonly question: ReactNode;
}

/** Asks before what was typed is lost. */
export function useLeaving(onLeave: () => void): Leaving {
  // A state would be seen only after another render, and Escape may come before that.
  const isDirty = useRef(false);
  const setDirty = useCallback((value: boolean) => {
    isDirty.current = value;
  }, []);
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const stay = (): void => setAsking(false);
  const question = (
    <Dialog opened={isAsking} onClose={stay} title={t("panel.leave.title")}>
      <Text>{t("panel.leave.lead")}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLeave}>
          {t("panel.leave.discard")}
        </Button>
        <Button data-autofocus onClick={stay}>
          {t("panel.leave.stay")}
        </Button>
      </Group>
    </Dialog>
  );
  // The dialog would hear the same Escape key, and close at once.
  const leave = (): void => (isDirty.current ? void setTimeout(() => setAsking(true)) : onLeave());
  return { setDirty, leave, question };
}
