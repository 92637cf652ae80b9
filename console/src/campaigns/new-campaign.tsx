import "./texts.ts";
import { Alert, Button, Group, Select, Stepper, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Failure } from "../settings/page.tsx";
import { Refused } from "../shared/api.ts";
import { BackLink } from "../shared/back-link.tsx";
import { Frozen } from "../shared/frozen.tsx";
import { newKey } from "../shared/new-key.ts";
import { isInDoubt, isOpenAfter, isUndone, useOutcome } from "../shared/once.ts";
import { TemplatePreview } from "../shared/template-preview.tsx";
import { type TemplateStructure, type TemplateText, templateText } from "../shared/template-text.ts";
import { momentOf } from "../shared/time.ts";
import type { Audience } from "./audience.ts";
import { AudienceStep } from "./audience-step.tsx";
import styles from "./campaigns.module.css";
import { fetchSteps, fetchTemplates, type NewCampaign, register } from "./campaigns.ts";
import { campaignOf, type Draft, emptyDraft, filledFrom, keepDraft, keptDraft } from "./draft.ts";
import { Mapping } from "./mapping.tsx";
import { PreviewStep } from "./preview-step.tsx";
import { StartButton, StartStep } from "./start-step.tsx";
import { useCheck } from "./verdict.tsx";

const noText: TemplateText = { media: null, header: null, body: "", footer: null, buttons: [], placeholders: [] };

export function NewCampaignScreen() {
  const { t } = useTranslation("campaigns");
  const { id: userId, empresa, zona_horaria } = useMe();
  const navigate = useNavigate();
  const wordsOf = useStartFailure();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(keptDraft);
  const [audience, setAudience] = useState<Audience | null>(null);
  useEffect(() => keepDraft(draft), [draft]);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));

  const templateList = useQuery({
    queryKey: ["templates", empresa.id],
    queryFn: () => fetchTemplates(empresa.id, userId),
    // A template may have been approved meanwhile.
    staleTime: 0,
  });
  const templates = templateList.data ?? [];
  const template = templates.find(({ id }) => id === draft.templateId);
  const text = template ? templateText(template.template as TemplateStructure | null, template.descripcion) : noText;
  const sample = audience?.recipients[0]?.fields ?? {};
  const values = Object.fromEntries(text.placeholders.map((name) => [name, filledFrom(draft.sources[name], sample)]));
  const bodyFor = (recipients: Audience["recipients"]): NewCampaign =>
    campaignOf(draft, text.placeholders, recipients, {
      empresa_id: empresa.id,
      user_id: userId,
      schedule_at: draft.startsAt ? momentOf(draft.startsAt, zona_horaria) : null,
    });
  const isMapped = text.placeholders.every((name) => {
    const source = draft.sources[name];
    if (source === undefined) return false;
    return "text" in source ? source.text.trim() !== "" : audience?.fields.includes(source.field) === true;
  });
  const ready = [
    draft.name.trim() !== "" && template !== undefined && draft.stepId !== null,
    (audience?.recipients.length ?? 0) > 0 && isMapped,
    true,
  ];
  // After the registration the draft is empty, so `template` is undefined and nothing is checked.
  const check = useCheck(draft, step >= 2 && template ? audience : null, bodyFor);
  const mayBeRegistered = useRef(false);
  const discard = (): void => {
    mayBeRegistered.current = false;
    setDraft(emptyDraft());
    setAudience(null);
    setStep(0);
    start.reset();
  };
  const renewKey = (): void => {
    mayBeRegistered.current = false;
    change({ once: newKey() });
  };
  const beginAnew = (): void => {
    renewKey();
    start.reset();
  };
  const start = useMutation({
    mutationFn: () => register(bodyFor(audience?.recipients ?? []), draft.once),
    onSuccess: () => {
      setDraft(emptyDraft());
      keepDraft(null);
    },
    // The key is kept if an attempt may have registered the campaign, since a new key could register it again.
    onError: (error) => {
      mayBeRegistered.current ||= isOpenAfter(error);
      if (isUndone(error, mayBeRegistered.current)) renewKey();
    },
  });

  const toCampaign = (id: number): void =>
    void navigate({ to: "/campaigns/$campaign", params: { campaign: String(id) }, replace: true });

  return (
    <div className={styles.page}>
      <BackLink to="/campaigns">{t("title")}</BackLink>
      <Title order={1} size="h2">
        {t("new")}
      </Title>
      <Stepper
        active={step}
        onStepClick={(to) => to < step && !start.isPending && setStep(to)}
        size="sm"
        allowNextStepsSelect={false}
        aria-label={t("steps")}
        classNames={{ step: styles.step ?? "", stepBody: styles.stepName ?? "" }}
      >
        <Stepper.Step label={t("step.message")} />
        <Stepper.Step label={t("step.audience")} />
        <Stepper.Step label={t("step.check")} />
        <Stepper.Step label={t("step.start")} />
      </Stepper>
      <div className={styles.wizard}>
        <div className={styles.form}>
          {step === 0 && (
            <>
              <Failure error={templateList.error} again={() => void templateList.refetch()} />
              <MessageStep draft={draft} templates={templates} onChange={change} />
            </>
          )}
          {step === 1 && (
            <>
              <AudienceStep draft={draft} audience={audience} onChange={change} onAudience={setAudience} />
              {audience && text.placeholders.length > 0 && (
                <Mapping
                  placeholders={text.placeholders}
                  fields={audience.fields}
                  sources={draft.sources}
                  onChange={(sources) => change({ sources })}
                />
              )}
            </>
          )}
          {step === 2 && audience && <PreviewStep audience={audience} bodyFor={bodyFor} check={check} />}
          {step === 3 && audience && (
            <Frozen when={start.isPending}>
              <StartStep draft={draft} count={audience.recipients.length} check={check} onChange={change} />
            </Frozen>
          )}
          {start.isError && (
            <Alert color="red" variant="outline" role="alert">
              {wordsOf(start.error)}
              {isInDoubt(start.error) && (
                <Button variant="subtle" size="compact-sm" onClick={beginAnew}>
                  {t("notInList")}
                </Button>
              )}
            </Alert>
          )}
          <Group justify="space-between">
            <Group gap="xs">
              {step > 0 && (
                <Button variant="default" disabled={start.isPending} onClick={() => setStep(step - 1)}>
                  {t("back")}
                </Button>
              )}
              <Button variant="subtle" color="gray" disabled={start.isPending} onClick={discard}>
                {t("discard")}
              </Button>
            </Group>
            {step < 3 ? (
              <Button disabled={!ready[step]} onClick={() => setStep(step + 1)}>
                {t("forward")}
              </Button>
            ) : (
              <StartButton
                draft={draft}
                check={check}
                isStarting={start.isPending}
                // After the user leaves this page, this `onSuccess` is not called. The one in `useMutation` is.
                onStart={() => start.mutate(undefined, { onSuccess: toCampaign })}
              />
            )}
          </Group>
        </div>
        <aside className={styles.aside} aria-label={t("previewLabel")}>
          {template && <TemplatePreview template={text} values={values} />}
        </aside>
      </div>
    </div>
  );
}

function useStartFailure(): (error: Error) => string {
  const { t } = useTranslation("campaigns");
  const outcomeOf = useOutcome();
  return (error) => {
    if (!(error instanceof Refused)) return t("unreachable");
    return isInDoubt(error) ? t("maybeRegistered") : outcomeOf(error, error.message);
  };
}

interface MessageStepProps {
  readonly draft: Draft;
  readonly templates: Awaited<ReturnType<typeof fetchTemplates>>;
  readonly onChange: (changes: Partial<Draft>) => void;
}

function MessageStep({ draft, templates, onChange }: MessageStepProps) {
  const { t } = useTranslation("campaigns");
  const { empresa } = useMe();
  const stepList = useQuery({
    queryKey: ["steps", empresa.id],
    queryFn: () => fetchSteps(empresa.id),
    staleTime: 0,
  });
  const choices = templates.filter(({ state }) => state === "APPROVED");
  return (
    <>
      <Failure error={stepList.error} again={() => void stepList.refetch()} />
      <TextInput
        label={t("name")}
        required
        maxLength={200}
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Select
        label={t("template")}
        description={t("templateHelp")}
        required
        searchable
        nothingFoundMessage={t(choices.length === 0 ? "noTemplate" : "noTemplateFound")}
        data={choices.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
        value={draft.templateId === null ? null : String(draft.templateId)}
        onChange={(id) => onChange({ templateId: id === null ? null : Number(id), sources: {} })}
      />
      <Select
        label={t("funnel")}
        description={t("funnelHelp")}
        required
        searchable
        data={(stepList.data ?? []).map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
        value={draft.stepId === null ? null : String(draft.stepId)}
        onChange={(id) => onChange({ stepId: id === null ? null : Number(id) })}
      />
    </>
  );
}
