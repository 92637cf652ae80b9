import "./texts.ts";
import { Alert, Button, Group, Skeleton, Text, Title } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { BackLink } from "../shared/back-link.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { loadPart } from "../shared/load-part.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./campaigns.module.css";
import {
  type Action,
  act,
  actionsFor,
  type Campaign,
  campaignKey,
  fetchCampaign,
  fetchFailures,
  type RecipientState,
  recipientStates,
  showCampaign,
} from "./campaigns.ts";
import { pauseWords } from "./pause-words.ts";
import { Progress } from "./progress.tsx";
import { Recipients } from "./recipients.tsx";

const CountsChart = lazy(() => loadPart(() => import("./counts-chart.tsx")));

/** A running campaign is read this often, since its events do not contain the rate and the remaining time. */
const lookEveryMs = 3_000;

/** The figures of these states come first and are always shown, so that their places do not change. */
const steady: readonly RecipientState[] = ["queued", "sent", "delivered", "read", "failed"];

const oneDecimal = (language: string) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

export function CampaignScreen() {
  const { t } = useTranslation("campaigns");
  const { campaign: given } = useParams({ from: "/campaigns/$campaign" });
  const id = Number(given);
  const { data, isPending, isError, refetch } = useQuery({
    queryKey: campaignKey(id),
    queryFn: () => fetchCampaign(id),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? lookEveryMs : false),
  });
  return (
    <div className={styles.page}>
      <BackLink to="/campaigns">{t("title")}</BackLink>
      {isPending && <Skeleton height={220} radius="md" />}
      {isError && !data && (
        <Button variant="default" onClick={() => void refetch()}>
          {t("again")}
        </Button>
      )}
      {data === null && <Text role="alert">{t("notFound")}</Text>}
      {data && <Details campaign={data} />}
    </div>
  );
}

function Details({ campaign }: { readonly campaign: Campaign }) {
  const { t, i18n } = useTranslation("campaigns");
  const { id, nombre, state, pause_reason, counts } = campaign;
  return (
    <>
      <div className={styles.top}>
        <Title order={1} size="h2" className={styles.heading}>
          {nombre}
        </Title>
        <span className={styles.state} data-state={state}>
          {t(`state.${state}`)}
        </span>
      </div>
      {pause_reason && (
        <Alert color="yellow" variant="outline" role="status">
          {pauseWords(pause_reason, t)}
        </Alert>
      )}
      <Facts campaign={campaign} />
      <Progress campaign={campaign} isLarge />
      <div className={styles.counts}>
        <Suspense fallback={<Skeleton circle className={styles.chart} />}>
          <CountsChart campaign={campaign} />
        </Suspense>
        <ul className={styles.figures} aria-label={t("figures")}>
          {[...steady, ...recipientStates.filter((each) => counts[each] > 0 && !steady.includes(each))].map((each) => (
            <li key={each} data-state={each}>
              <span className={styles.figure}>{counts[each].toLocaleString(i18n.language)}</span>
              <span>{t(`recipient.${each}`)}</span>
            </li>
          ))}
        </ul>
      </div>
      <Actions campaign={campaign} />
      {counts.failed > 0 && <Failures id={id} failed={counts.failed} />}
      <Recipients campaign={campaign} />
    </>
  );
}

function Facts({
  campaign: { rate, seconds_left, schedule_at, send_window, total, finished_at },
}: {
  readonly campaign: Campaign;
}) {
  const { t, i18n } = useTranslation("campaigns");
  const clock = useClock();
  const isAhead = Date.parse(schedule_at) > Date.now();
  return (
    <p className={styles.facts}>
      <span>{t("recipients", { count: total })}</span>
      {isAhead && <span>{t("begins", { at: clock.moment(schedule_at) })}</span>}
      {finished_at && <span>{t("ended", { at: clock.moment(finished_at) })}</span>}
      {send_window && <span>{t("window", send_window)}</span>}
      {rate > 0 && <span>{t("rate", { rate: oneDecimal(i18n.language).format(rate) })}</span>}
      {seconds_left !== null && seconds_left > 0 && <span>{t("left", { minutes: Math.ceil(seconds_left / 60) })}</span>}
    </p>
  );
}

function Actions({ campaign }: { readonly campaign: Campaign }) {
  const { t } = useTranslation("campaigns");
  const [asked, setAsked] = useState<Action | null>(null);
  const doing = useMutation({
    mutationFn: (action: Action) => act(campaign.id, action),
    onSuccess: showCampaign,
  });
  const needsYes = (action: Action): boolean => action === "cancel" || action === "resend-unknown";
  return (
    <>
      <Group gap="xs" className={styles.actions}>
        {actionsFor(campaign).map((action, index) => (
          <Button
            key={action}
            variant={index === 0 && !needsYes(action) ? "filled" : "default"}
            disabled={doing.isPending}
            {...(action === "cancel" && { c: "var(--danger)" })}
            onClick={() => (needsYes(action) ? setAsked(action) : doing.mutate(action))}
          >
            {t(`action.${action}`)}
          </Button>
        ))}
      </Group>
      {doing.isError && (
        <Alert color="red" variant="outline" role="alert">
          {doing.error instanceof Refused ? doing.error.message : t("unreachable")}
        </Alert>
      )}
      <Dialog opened={asked !== null} title={asked ? t(`action.${asked}`) : ""} onClose={() => setAsked(null)}>
        {asked && <Text>{t(`ask.${asked === "cancel" ? "cancel" : "resend-unknown"}`)}</Text>}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setAsked(null)}>
            {t("no")}
          </Button>
          <Button
            color="red"
            onClick={() => {
              if (asked) doing.mutate(asked);
              setAsked(null);
            }}
          >
            {t("yes")}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}

function Failures({ id, failed }: { readonly id: number; readonly failed: number }) {
  const { t, i18n } = useTranslation("campaigns");
  const { data = [] } = useQuery({
    queryKey: [...campaignKey(id), "failures", failed],
    queryFn: () => fetchFailures(id),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="failures">
      <Title order={2} size="h4" id="failures" mb="xs">
        {t("failures")}
      </Title>
      <ul className={styles.reasons}>
        {data.map(({ error_code, error, count }) => (
          <li key={`${error_code} ${error}`}>
            <span className={styles.figure}>{count.toLocaleString(i18n.language)}</span>
            <span>
              {error ?? t("noReason")} {error_code !== null && <span className={styles.code}>({error_code})</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
