import { Accordion, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../settings/page.tsx";
import { platformWebhooks } from "./platform-webhooks.ts";

const channels = Object.keys(platformWebhooks) as (keyof typeof platformWebhooks)[];

/** What the platform needs to deliver messages: the address and the fields of each channel's webhook. */
export function PlatformSetup() {
  const { t } = useTranslation("connections");
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="setup">
        <Accordion.Control>{t("numbers.setup")}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <Text size="sm">{t("numbers.setupLead")}</Text>
            {channels.map((channel) => (
              <div key={channel}>
                <Copyable
                  label={t(`numbers.setupUrl.${channel}`)}
                  value={location.origin + platformWebhooks[channel].path}
                />
                <Text size="sm">
                  {t("numbers.setupFields", { fields: platformWebhooks[channel].fields.join(", ") })}
                </Text>
              </div>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
