import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { MomentField } from "../shared/day-field.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { TimeField } from "../shared/time-field.tsx";
import { type Draft, isWindowHalf } from "./draft.ts";
import { type Check, hasWarnings, Verdict } from "./verdict.tsx";

interface StartStepProps {
  readonly draft: Draft;
  readonly count: number;
  readonly check: Check;
  readonly onChange: (changes: Partial<Draft>) => void;
}

export function StartStep({ draft, count, check, onChange }: StartStepProps) {
  const { t } = useTranslation("campaigns");
  const missing = isWindowHalf(draft) && t("bothTimes");
  return (
    <>
      <p style={{ margin: 0 }}>{t("summary", { name: draft.name, count })}</p>
      <Verdict check={check} />
      <MomentField
        label={t("startsAt")}
        description={t("startsAtHelp")}
        moment={draft.startsAt}
        onMoment={(startsAt) => onChange({ startsAt })}
      />
      <Group grow align="flex-start">
        <TimeField
          mayBeEmpty
          label={t("from")}
          time={draft.from}
          error={draft.from === "" && missing}
          onTime={(from) => onChange({ from })}
        />
        <TimeField
          mayBeEmpty
          label={t("to")}
          time={draft.to}
          error={draft.to === "" && missing}
          onTime={(to) => onChange({ to })}
        />
      </Group>
    </>
  );
}

interface StartButtonProps {
  readonly draft: Draft;
  readonly check: Check;
  readonly isStarting: boolean;
  readonly onStart: () => void;
}

/** Asks for a confirmation if the check has warnings. */
export function StartButton({ draft, check, isStarting, onStart }: StartButtonProps) {
  const { t } = useTranslation("campaigns");
  const [isAsked, setAsked] = useState(false);
  const isChecked = check.found !== null || check.error !== null;
  return (
    <>
      <Button
        loading={isStarting}
        disabled={!isChecked || isWindowHalf(draft)}
        onClick={() => (hasWarnings(check) ? setAsked(true) : onStart())}
      >
        {t(draft.startsAt ? "schedule" : "launch")}
      </Button>
      <Dialog opened={isAsked} title={t("confirm.title")} onClose={() => setAsked(false)}>
        <Text mb="sm">{t("confirm.lead", { name: draft.name })}</Text>
        <Verdict check={check} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" data-autofocus onClick={() => setAsked(false)}>
            {t("confirm.no")}
          </Button>
          <Button
            color="red"
            onClick={() => {
              setAsked(false);
              onStart();
            }}
          >
            {t("confirm.yes")}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}
