import { Button, Group, NumberInput, PasswordInput, Select, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import { answered, api } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { fieldRefusal } from "../shared/field-refusal.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { queryClient } from "../shared/query.ts";
import { useRecordForm } from "../shared/record-form.ts";
import { key, readSender, type Sender } from "./senders.ts";

const channels = ["platform-apicloud", "qr", "platform-page", "platform-photo", "provider-b"] as const;
const usualRate = 80;
/** The fields whose values the service checks with the platform. */
const checked = ["phone", "platform_id", "account_id", "token"] as const;

const labels = {
  provider: "channel",
  name: "name",
  phone: "phone",
  account_id: "accountId",
  token: "token",
  messages_per_second: "rate",
} as const;

const readOf = (sender: Sender | null) => ({
  fields: {
    provider: sender?.provider ?? ("platform-apicloud" as (typeof channels)[number]),
    name: sender?.name ?? "",
    phone: sender?.phone ?? "",
    platform_id: sender?.platform_id ?? "",
    account_id: sender?.account_id ?? "",
    // The service does not show the stored token.
    token: "",
    /** Empty while the user types another rate. */
    messages_per_second: (sender?.messages_per_second ?? usualRate) as number | "",
  },
  version: sender?.version ?? null,
});

type Fields = ReturnType<typeof readOf>["fields"];

interface Props {
  /** Null for a new sender. */
  readonly sender: Sender | null;
  readonly onClose: () => void;
  readonly onAdded: (sender: Sender) => void;
}

export function NumberForm({ sender, onClose, onAdded }: Props) {
  const { t } = useTranslation("connections");
  const form = useRecordForm<Fields, Sender>(readOf(sender), {
    save: ({ name, platform_id, account_id, token, messages_per_second, ...rest }, header) => {
      const body = {
        ...rest,
        name: name || null,
        platform_id: platform_id.trim(),
        account_id: account_id.trim(),
        ...(token && { token: token.trim() }),
        messages_per_second: messages_per_second || usualRate,
      };
      if (sender === null) return answered(api.POST("/admin/senders", { body }));
      return answered(api.PUT("/admin/senders/{id}", { params: { path: { id: sender.id }, header }, body }));
    },
    readAgain: async () => readOf(sender && (await readSender(sender.id))),
    refresh: () => void queryClient.invalidateQueries({ queryKey: ["admin", key] }),
    onSaved: (saved) => {
      release();
      if (sender === null) onAdded(saved);
      else onClose();
    },
  });
  const { fields, set } = form;
  const { provider } = fields;
  const { release, question } = useLeaving(form.isChanged);
  const refusal = fieldRefusal(form.error, checked);
  const refused = refusal?.problem === "other" ? refusal.name : null;
  const errorOf = (field: (typeof checked)[number]): string | undefined =>
    field === refused ? t(`numbers.wrong.${field}`) : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  const labelOf = (field: keyof Fields): string => {
    if (field === "platform_id") return t(`numbers.platformId.${provider}`);
    return t(`numbers.${labels[field]}`);
  };
  const hasPhone = provider !== "platform-page" && provider !== "platform-photo";
  const hasAccount = provider !== "qr" && provider !== "provider-b";

  return (
    <Dialog opened onClose={onClose} title={t(sender === null ? "numbers.add" : "numbers.edit")}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <MovedOn clashes={form.clashes?.map(labelOf) ?? null} />
          <Frozen when={form.isSaving}>
            <Select
              data-autofocus
              label={t("numbers.channel")}
              data={channels.map((value) => ({ value, label: t(`numbers.channels.${value}`) }))}
              value={provider}
              allowDeselect={false}
              onChange={(chosen) => set({ provider: channels.find((each) => each === chosen) ?? provider })}
            />
            <TextInput
              label={t("numbers.name")}
              maxLength={200}
              value={fields.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              required
              label={t(hasPhone ? "numbers.phoneNumber" : "numbers.phone")}
              description={hasPhone && t("numbers.phoneHint")}
              maxLength={64}
              value={fields.phone}
              error={errorOf("phone")}
              onChange={(event) => set({ phone: event.currentTarget.value })}
            />
            <TextInput
              required
              label={t(`numbers.platformId.${provider}`)}
              maxLength={200}
              value={fields.platform_id}
              error={errorOf("platform_id")}
              onChange={(event) => set({ platform_id: event.currentTarget.value })}
            />
            {hasAccount && (
              <TextInput
                required={provider === "platform-apicloud"}
                label={t(provider === "platform-apicloud" ? "numbers.businessAccountId" : "numbers.accountId")}
                maxLength={200}
                value={fields.account_id}
                error={errorOf("account_id")}
                onChange={(event) => set({ account_id: event.currentTarget.value })}
              />
            )}
            <PasswordInput
              required={sender === null}
              label={t("numbers.token")}
              description={t(sender === null ? "numbers.tokenHint" : "numbers.keep")}
              autoComplete="off"
              visibilityToggleButtonProps={{ "aria-hidden": true }}
              value={fields.token}
              error={errorOf("token")}
              onChange={(event) => set({ token: event.currentTarget.value })}
            />
            <NumberInput
              label={t("numbers.rate")}
              min={1}
              max={100_000}
              allowDecimal={false}
              value={fields.messages_per_second}
              onChange={(value) => set({ messages_per_second: Number(value) || "" })}
            />
          </Frozen>
          {refused === null && <Failure error={form.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("cancel")}
            </Button>
            <Button type="submit" loading={form.isSaving}>
              {t("save")}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Dialog>
  );
}
