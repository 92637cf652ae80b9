import "./texts.ts";
import { Alert, Button, PasswordInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Preferences } from "../app/preferences.tsx";
import { useMe } from "../app/session.ts";
import { Failure } from "../settings/page.tsx";
import settings from "../settings/settings.module.css";
import { api, Refused } from "../shared/api.ts";
import { Initials } from "../shared/initials.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import styles from "./account.module.css";
import { isGoodPassword, PasswordRules } from "./password-rules.tsx";
import { OwnSessions, ownSessionsChanged } from "./sessions.tsx";

export function AccountScreen() {
  const { t } = useTranslation("people");
  const me = useMe();
  return (
    <div className={styles.page}>
      <Title order={1} size="h2">
        {t("account.title")}
      </Title>
      <div className={styles.who}>
        <Initials name={me.nombre} size={52} />
        <div className={settings.what}>
          <p className={settings.name}>{me.nombre}</p>
          <p className={settings.detail}>{me.empresa.nombre}</p>
        </div>
      </div>
      <section className={styles.card} aria-labelledby="appearance">
        <Title order={2} size="h4" id="appearance">
          {t("account.appearance")}
        </Title>
        <Preferences />
      </section>
      <ChangePassword />
      <div className={styles.card}>
        <OwnSessions level={2} />
      </div>
    </div>
  );
}

function ChangePassword() {
  const { t } = useTranslation("people");
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: async () => {
      const { error, response } = await api.PUT("/me/password", { body: { actual: current, nueva: next } });
      if (!response.ok) throw new Refused(response.status, error);
    },
    onSuccess: () => {
      setCurrent("");
      setNext("");
      void ownSessionsChanged();
    },
  });
  const { question } = useLeaving(current !== "" || next !== "");
  const refused = change.error instanceof Refused ? change.error : null;
  const isWrong = refused?.code === "wrong_password";
  const isTooSoon = refused?.status === 429;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isGoodPassword(next)) change.mutate();
  };
  const show = { "aria-label": t("password.show") };
  return (
    <section className={styles.card} aria-labelledby="password">
      <Title order={2} size="h4" id="password">
        {t("account.password")}
      </Title>
      <form onSubmit={submit} className={settings.form}>
        {change.isSuccess && (
          <Alert color="brand" variant="light" role="status">
            {t("password.changed")}
          </Alert>
        )}
        <PasswordInput
          required
          withAsterisk={false}
          autoComplete="current-password"
          label={t("password.current")}
          error={isWrong && t("password.wrong")}
          aria-invalid={isWrong || undefined}
          visibilityToggleButtonProps={show}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <div>
          <PasswordInput
            required
            withAsterisk={false}
            autoComplete="new-password"
            label={t("password.new")}
            aria-describedby="password-rule"
            visibilityToggleButtonProps={show}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <PasswordRules id="password-rule" password={next} />
        </div>
        {isTooSoon && (
          <Alert color="red" variant="light" role="alert">
            {t("password.tooMany")}
          </Alert>
        )}
        {!isWrong && !isTooSoon && <Failure error={change.error} />}
        <Button
          type="submit"
          style={{ alignSelf: "flex-end" }}
          loading={change.isPending}
          disabled={current === "" || !isGoodPassword(next)}
        >
          {t("password.change")}
        </Button>
      </form>
      {question}
    </section>
  );
}
