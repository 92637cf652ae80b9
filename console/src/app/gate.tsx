import { Alert, Button } from "@mantine/core";
import { Outlet, useMatchRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Frame } from "./frame.tsx";
import styles from "./gate.module.css";
import { useSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { Waiting } from "./waiting.tsx";

/**
 * Everything but the sign-in and invitations is for a signed-in user; the address stays, so that a link leads there
 * afterwards.
 */
export function Gate() {
  const { t } = useTranslation();
  const matches = useMatchRoute();
  const { data: me, isPending, isError, refetch } = useSession();
  if (matches({ to: "/invitation/$token" })) return <Outlet />;
  if (me) return <Frame key={me.id} />;
  if (isError)
    return (
      <main className={styles.middle}>
        <Alert color="red" variant="outline">
          {t("signIn.unreachable")}
        </Alert>
        <Button onClick={() => void refetch()}>{t("inbox.retry")}</Button>
      </main>
    );
  if (isPending) return <Waiting />;
  return <SignIn />;
}
