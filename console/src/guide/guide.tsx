import "../connections/texts.ts";
import { Button, Title, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { answered, api } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { storage } from "../shared/storage.ts";
import styles from "./guide.module.css";

const steps = ["number", "template", "agents", "message"] as const;
type Step = (typeof steps)[number];
const links = { number: "/settings/numbers", template: "/settings/templates", agents: "/settings/users" } as const;

/** The guide polls, since steps are finished elsewhere: in other tabs, by other users or by platforms. */
const pollMs = 4_000;
/**
 * Only this many records of a list are read. In a business with more records, a finished step can look unfinished, but
 * such a business hardly needs the guide.
 */
const limit = 100;

async function fetchDone(): Promise<Readonly<Record<Step, boolean>>> {
  const [senders, templates, users, contacts] = await Promise.all([
    answered(api.GET("/admin/senders", { params: { query: { limit } } })),
    answered(api.GET("/admin/templates", { params: { query: { limit } } })),
    answered(api.GET("/admin/users", { params: { query: { limit: 2 } } })),
    answered(api.GET("/contacts", { params: { query: { limit } } })),
  ]);
  return {
    // A QR sender works only while its phone is connected.
    number: senders.data.some(({ provider, state }) => provider !== "qr" || state === "open"),
    template: templates.data.some(({ state }) => state === "APPROVED"),
    agents: users.data.length > 1,
    message: contacts.data.some(({ chats }) => chats.length > 0),
  };
}

const isOver = (done: Readonly<Record<Step, boolean>> | undefined): boolean =>
  done !== undefined && steps.every((step) => done[step]);

/** The first steps of a new business. Shows `otherwise` when they are done, hidden or cannot be loaded. */
export default function Guide({ otherwise }: { readonly otherwise: ReactNode }) {
  const { t } = useTranslation("connections");
  const { empresa } = useMe();
  const hiddenAs = `recado.guide.${empresa.id}`;
  const [isHidden, setHidden] = useState(storage.get(hiddenAs) !== null);
  const { data: done, isError } = useQuery({
    queryKey: ["guide"],
    queryFn: fetchDone,
    enabled: !isHidden,
    refetchOnMount: "always",
    refetchInterval: ({ state }) => (isOver(state.data) ? false : pollMs),
  });
  if (isHidden || isError || isOver(done)) return otherwise;
  if (!done) return <div className={styles.guide} />;
  const hide = (): void => {
    storage.set(hiddenAs, "hidden");
    setHidden(true);
  };
  return (
    <section className={styles.guide} aria-labelledby="guide">
      <div className={styles.card}>
        <Title order={2} size="h3" id="guide">
          {t("guide.title")}
        </Title>
        <p>{t("guide.lead")}</p>
        <ol className={styles.steps}>
          {steps.map((step, index) => (
            <li key={step} className={done[step] ? styles.done : undefined}>
              <StepLink step={step}>
                <span className={styles.mark} aria-hidden="true">
                  {done[step] ? <Icon name="check" size={18} /> : index + 1}
                </span>
                <span>
                  <span className={styles.name}>
                    {t(`guide.${step}.title`)}
                    {done[step] && <VisuallyHidden>: {t("guide.done")}</VisuallyHidden>}
                  </span>
                  <span className={styles.detail}>{t(`guide.${step}.detail`)}</span>
                </span>
              </StepLink>
            </li>
          ))}
        </ol>
        <Button variant="subtle" size="compact-sm" onClick={hide}>
          {t("guide.dismiss")}
        </Button>
      </div>
    </section>
  );
}

function StepLink({ step, children }: { readonly step: Step; readonly children: ReactNode }) {
  if (step === "message") return <div className={styles.step}>{children}</div>;
  return (
    <Link to={links[step]} className={styles.step}>
      {children}
    </Link>
  );
}
