import { Alert, Button, PasswordInput, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { Preferences } from "./preferences.tsx";
import { signIn } from "./session.ts";
import styles from "./sign-in.module.css";

const problemOf = (error: unknown): "wrong" | "tooMany" | "unreachable" | "failed" => {
  if (!(error instanceof Refused)) return "unreachable";
  if (error.status === 401 || error.status === 400) return "wrong";
  return error.status === 429 ? "tooMany" : "failed";
};

export function SignIn() {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<ReturnType<typeof problemOf> | null>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      await signIn(String(fields.get("email")).trim(), String(fields.get("password")));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={(event) => void submit(event)}>
        <img src="/console/icon.svg" alt="" width={44} height={44} />
        <div>
          <Title order={1} size="h2">
            {t("signIn.title")}
          </Title>
          <Text c="dimmed">{t("signIn.lead")}</Text>
        </div>
        {problem && (
          <Alert color="red" variant="outline" role="alert">
            {t(`signIn.${problem}`)}
          </Alert>
        )}
        <TextInput
          name="email"
          type="email"
          label={t("signIn.email")}
          autoComplete="username"
          size="md"
          required
          withAsterisk={false}
          autoFocus
        />
        <PasswordInput
          name="password"
          label={t("signIn.password")}
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
        />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {t("signIn.submit")}
        </Button>
        <Preferences />
      </form>
    </main>
  );
}
