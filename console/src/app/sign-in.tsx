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
  const [missing, setMissing] = useState<readonly string[]>([]);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const email = String(fields.get("email")).trim();
    const password = String(fields.get("password"));
    const empty = [...(email ? [] : ["email"]), ...(password ? [] : ["password"])];
    setMissing(empty);
    setProblem(null);
    const [first] = empty;
    if (first !== undefined) return (form.elements.namedItem(first) as HTMLInputElement).focus();
    setBusy(true);
    try {
      await signIn(email, password);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className={styles.page}>
      <form className={styles.card} noValidate onSubmit={(event) => void submit(event)}>
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
          error={missing.includes("email") && t("signIn.emailMissing")}
          autoFocus
        />
        <PasswordInput
          name="password"
          label={t("signIn.password")}
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
          error={missing.includes("password") && t("signIn.passwordMissing")}
          visibilityToggleButtonProps={{ "aria-label": t("signIn.show") }}
        />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {t("signIn.submit")}
        </Button>
        <Preferences />
      </form>
    </main>
  );
}
