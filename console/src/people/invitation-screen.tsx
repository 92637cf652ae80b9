import "./texts.ts";
import { Alert, Button, PasswordInput, Text, Title } from "@mantine/core";
import { Link, useLoaderData, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Preferences } from "../app/preferences.tsx";
import { acceptInvitation, useSession } from "../app/session.ts";
import signIn from "../app/sign-in.module.css";
import { Refused } from "../shared/api.ts";
import { LinkButton } from "../shared/link-button.tsx";
import { isGoodPassword, PasswordRules } from "./password-rules.tsx";
import styles from "./people.module.css";

type Problem = "used" | "tooMany" | "unreachable" | "failed";

const problemOf = (error: unknown): Problem => {
  if (!(error instanceof Refused)) return "unreachable";
  if (error.status === 401) return "used";
  return error.status === 429 ? "tooMany" : "failed";
};

/** Links in invitations and password resets lead here. The page has no frame and needs no session. */
export function InvitationScreen() {
  const { token = "" } = useParams({ strict: false });
  const isOpen = useLoaderData({ strict: false }) as boolean;
  return <Invitation key={token} token={token} isOpen={isOpen} />;
}

function Invitation({ token, isOpen }: { readonly token: string; readonly isOpen: boolean }) {
  const [problem, setProblem] = useState<Problem | null>(isOpen ? null : "used");
  return (
    <main className={signIn.page}>
      <div className={signIn.card}>
        <img src="/console/icon.svg" alt="" width={44} height={44} />
        {problem === "used" ? <Used /> : <Choose token={token} problem={problem} onProblem={setProblem} />}
        <Preferences />
      </div>
    </main>
  );
}

/** The service gives the same answer for links that are used, expired, replaced or unknown. */
function Used() {
  const { t } = useTranslation("people");
  return (
    <>
      <Title order={1} size="h2">
        {t("invitation.usedTitle")}
      </Title>
      <div role="alert">
        <Text>{t("invitation.used")}</Text>
      </div>
      <LinkButton to="/inbox" size="md" fullWidth>
        {t("invitation.signIn")}
      </LinkButton>
    </>
  );
}

interface ChooseProps {
  readonly token: string;
  readonly problem: Problem | null;
  readonly onProblem: (problem: Problem | null) => void;
}

function Choose({ token, problem, onProblem }: ChooseProps) {
  const { t } = useTranslation("people");
  const navigate = useNavigate();
  const { data: me } = useSession();
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isGoodPassword(password)) return;
    setBusy(true);
    onProblem(null);
    try {
      await acceptInvitation(token, password);
      await navigate({ to: "/inbox", replace: true });
    } catch (error) {
      setBusy(false);
      onProblem(problemOf(error));
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} style={{ display: "contents" }}>
      <div>
        <Title order={1} size="h2">
          {t("invitation.title")}
        </Title>
        <Text c="dimmed">{t("invitation.lead")}</Text>
      </div>
      {me && (
        <Alert color="yellow" variant="light">
          {t("invitation.signedIn", { name: me.nombre })}{" "}
          <Link to="/inbox" className={styles.link}>
            {t("invitation.stay")}
          </Link>
        </Alert>
      )}
      {problem && (
        <Alert color="red" variant="outline" role="alert">
          {t(`invitation.${problem}`)}
        </Alert>
      )}
      <div>
        <PasswordInput
          autoFocus
          required
          withAsterisk={false}
          size="md"
          autoComplete="new-password"
          label={t("password.new")}
          aria-describedby="password-rule"
          visibilityToggleButtonProps={{ "aria-label": t("password.show") }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <PasswordRules id="password-rule" password={password} />
      </div>
      <Button type="submit" size="md" fullWidth loading={isBusy} disabled={!isGoodPassword(password)}>
        {t("invitation.accept")}
      </Button>
    </form>
  );
}
