import { Button, Group } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading } from "../settings/page.tsx";
import { Icon } from "../shared/icons.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { Panel } from "../shared/panel.tsx";
import { useReturnFocus } from "../shared/use-return-focus.ts";
import { pointingAt } from "./forest.ts";
import { newStep, readOf } from "./step-fields.ts";
import { StepForm } from "./step-form.tsx";
import { archiveStep, readStep, type Step, stepsChanged } from "./steps.ts";

interface PanelProps {
  readonly id: number | "new";
  /** The parent of a new step. */
  readonly under: number | null;
  readonly steps: readonly Step[];
  readonly onClose: () => void;
  readonly onSaved: (id: number) => void;
  readonly onAdd: (under: number) => void;
}

export function StepPanel({ id, under, steps, onClose, onSaved, onAdd }: PanelProps) {
  const { t } = useTranslation("steps");
  const isNew = id === "new";
  useReturnFocus();
  const { data, error, isPending } = useQuery({
    queryKey: ["admin", "steps", "one", id],
    queryFn: () => readStep(Number(id)),
    enabled: !isNew,
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  const { setDirty, release, question } = useLeaving(false);
  const parent = steps.find((step) => step.id === under) ?? null;
  const title = parent ? t("addUnder", { name: parent.nombre }) : t("add");
  const start = isNew ? newStep(parent, steps.length === 0) : data && readOf(data);
  return (
    <Panel title={isNew ? title : (data?.nombre ?? t("edit"))} onClose={onClose} size={560}>
      {!isNew && isPending && <Loading />}
      <Failure error={error} />
      {data && (
        <Group gap="xs" mb="md">
          <Button
            variant="default"
            size="sm"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => onAdd(data.id)}
          >
            {t("addBelow")}
          </Button>
          <Archive
            step={data}
            steps={steps}
            onDone={() => {
              release();
              onClose();
            }}
          />
        </Group>
      )}
      {start && (
        <StepForm
          key={id}
          id={isNew ? null : id}
          start={start}
          steps={steps}
          onDirty={setDirty}
          onCancel={onClose}
          onSaved={(saved) => {
            release();
            onSaved(saved);
          }}
        />
      )}
      {question}
    </Panel>
  );
}

interface ArchiveProps {
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly onDone: () => void;
}

/** The maximum number of names in each list of the confirmation. */
const namesShown = 3;

function Archive({ step, steps, onDone }: ArchiveProps) {
  const { t } = useTranslation("steps");
  const { t: tCommon } = useTranslation();
  const archive = useMutation({ mutationFn: () => archiveStep(step.id), onSettled: stepsChanged });
  const { below, before } = pointingAt(steps, step.id);
  const namesOf = (list: readonly Step[]): string => {
    const names = list.slice(0, namesShown).map(({ nombre }) => tCommon("quoted", { text: nombre }));
    return list.length > namesShown ? `${names.join(", ")}…` : names.join(", ");
  };
  const question = [
    t("archive.ask", { name: step.nombre }),
    below.length > 0 && t("archive.below", { count: below.length, names: namesOf(below) }),
    before.length > 0 && t("archive.before", { count: before.length, names: namesOf(before) }),
    step.tipo === "ticket" && t("archive.tickets"),
  ];
  return (
    <Asking
      label={t("archive.label")}
      name={step.nombre}
      question={question.filter(Boolean).join(" ")}
      act={archive}
      onDone={onDone}
    />
  );
}
