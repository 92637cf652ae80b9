import "./texts.ts";
import { Alert, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../settings/page.tsx";
import { useClock } from "../shared/use-clock.ts";
import type { Invitation } from "./people.ts";

interface LinkProps {
  readonly invitation: Invitation;
  readonly name: string;
}

/** The link is shown only once. The administrator must send it to the user, since the service does not. */
export function InvitationLink({ invitation: { token, expires_at }, name }: LinkProps) {
  const { t } = useTranslation("people");
  const clock = useClock();
  return (
    <Stack gap="sm">
      <Alert color="yellow" variant="light" role="status">
        {t("link.once", { name, at: clock.moment(expires_at) })}
      </Alert>
      <Copyable label={t("link.label")} value={`${location.origin}/console/invitation/${token}`} />
    </Stack>
  );
}
