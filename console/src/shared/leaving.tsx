import { Button, Group, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "./dialog.tsx";

interface Leaving {
  /** Takes effect at once. The argument of `useLeaving` takes effect after a render, and Escape may come earlier. */
  readonly setDirty: (isDirty: boolean) => void;
  /** Lets the next navigation pass. Call it when the input was saved or the record removed, before navigating. */
  readonly release: () => void;
  /** The caller must render this dialog. */
  readonly question: ReactNode;
}

/**
 * Asks before unsaved input is lost by a link, by Back or Forward, or by closing a panel that has a URL. The browser
 * itself asks when the tab is closed or loaded again.
 */
export function useLeaving(isDirty: boolean): Leaving {
  const isUnsaved = useRef(false);
  useLayoutEffect(() => {
    isUnsaved.current = isDirty;
  }, [isDirty]);
  const [isAsking, setAsking] = useState(false);
  const answer = useRef<((stays: boolean) => void) | null>(null);
  const shouldBlockFn = useCallback((): boolean | Promise<boolean> => {
    if (!isUnsaved.current) return false;
    // While the question is open, the screen must not change. The Escape key that closes the question also reaches the
    // panel below, which then tries to navigate.
    if (answer.current) return true;
    return new Promise((answered) => {
      answer.current = answered;
      // If Escape caused the navigation, a dialog that opened without delay would also handle this key and close.
      setTimeout(() => setAsking(true));
    });
  }, []);
  const enableBeforeUnload = useCallback(() => isUnsaved.current, []);
  useBlocker({ shouldBlockFn, enableBeforeUnload });
  const give = (stays: boolean): void => {
    setAsking(false);
    answer.current?.(stays);
    setTimeout(() => {
      answer.current = null;
    });
  };
  const setDirty = useCallback((value: boolean): void => {
    isUnsaved.current = value;
  }, []);
  const release = useCallback(() => setDirty(false), [setDirty]);
  const question = <Question opened={isAsking} onStay={() => give(true)} onLeave={() => give(false)} />;
  return { setDirty, release, question };
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
