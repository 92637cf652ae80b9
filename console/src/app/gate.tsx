import { Alert, Button } from "@mantine/core";
import { Outlet, useMatchRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Frame } from "./frame.tsx";
import styles from "./gate.module.css";
import { useSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { Waiting } from "./waiting.tsx";

/**
 * All pages except the sign-in and invitations need a signed-in user. The sign-in does not change the address, so
 * that a link still leads to its page afterwards.
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
