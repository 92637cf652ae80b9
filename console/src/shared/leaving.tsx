import { Button, Group, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "./dialog.tsx";

interface Leaving {
  /** Call it when unsaved input appears or disappears. */
  readonly setDirty: (isDirty: boolean) => void;
  readonly leave: () => void;
  readonly question: ReactNode;
}

/** Asks for confirmation before unsaved input is lost. */
export function useLeaving(onLeave: () => void): Leaving {
  // A ref, since a state would be set only after the next render, and Escape may come before.
  const isDirty = useRef(false);
  const setDirty = useCallback((value: boolean) => {
    isDirty.current = value;
  }, []);
  const [isAsking, setAsking] = useState(false);
  const stay = (): void => setAsking(false);
  const question = <Question opened={isAsking} onStay={stay} onLeave={onLeave} />;
  // Later, since the new dialog would handle the same Escape key and close at once.
  const leave = (): void => (isDirty.current ? void setTimeout(() => setAsking(true)) : onLeave());
  return { setDirty, leave, question };
}

/**
 * Asks before a link, going back or closing the tab loses the input of a page. A navigation with `ignoreBlocker` is not
 * asked about.
 */
export function useLeavingPage(isDirty: boolean): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return <Question opened={status === "blocked"} onStay={() => reset?.()} onLeave={() => proceed?.()} />;
}

interface QuestionProps {
  readonly opened: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

function Question({ opened, onStay, onLeave }: QuestionProps) {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={onStay} title={t("panel.leave.title")}>
      <Text>{t("panel.leave.lead")}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLeave}>
          {t("panel.leave.discard")}
        </Button>
        <Button data-autofocus onClick={onStay}>
          {t("panel.leave.stay")}
        </Button>
      </Group>
    </Dialog>
  );
}
