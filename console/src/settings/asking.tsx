import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Failure } from "./page.tsx";

interface Answer {
  readonly error?: unknown;
  readonly response: Response;
}

interface AskingProps {
  readonly label: string;
  /** The name of the affected record. */
  readonly name: string;
  readonly question: string;
  readonly act: {
    readonly mutateAsync: (given: undefined) => Promise<Answer>;
    readonly isPending: boolean;
  };
  readonly onDone?: () => void;
}

/** A button that asks for confirmation before its action. */
export function Asking({ label, name, question, act, onDone }: AskingProps) {
  const { t } = useTranslation("settings");
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  async function go(): Promise<void> {
    try {
      const { error, response } = await act.mutateAsync(undefined);
      if (!response.ok) throw new Refused(response.status, error);
      setOpen(false);
      onDone?.();
    } catch (error) {
      setFailure(error);
    }
  }

  return (
    <>
      <Button
        variant="default"
        size="sm"
        aria-label={`${label}: ${name}`}
        onClick={() => {
          setFailure(null);
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={label}>
        <Stack>
          <Text>{question}</Text>
          <Failure error={failure} />
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setOpen(false)}>
              {t("cancel")}
            </Button>
            <Button color="red" loading={act.isPending} onClick={() => void go()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
