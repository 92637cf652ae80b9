import { Accordion, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../settings/page.tsx";

const addresses = {
  "platform-apicloud": "/webhooks/cloud",
  "platform-page": "/webhooks/page",
  "platform-photo": "/webhooks/photo",
} as const;

/** The webhook addresses that the platform needs to deliver messages. */
export function PlatformSetup() {
  const { t } = useTranslation("connections");
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="setup">
        <Accordion.Control>{t("numbers.setup")}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <Text size="sm">{t("numbers.setupLead")}</Text>
            {(Object.keys(addresses) as (keyof typeof addresses)[]).map((channel) => (
              <Copyable
                key={channel}
                label={t(`numbers.setupUrl.${channel}`)}
                value={location.origin + addresses[channel]}
              />
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
