import { Button, Group, NumberInput, PasswordInput, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, useChange } from "../settings/page.tsx";
import { answered, api } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { fieldRefusal } from "../shared/field-refusal.ts";
import { useLeaving } from "../shared/leaving.tsx";
import { key, type Sender } from "./senders.ts";

const channels = ["platform-apicloud", "qr", "platform-page", "platform-photo", "provider-b"] as const;
const usualRate = 80;
/** The fields whose values the service checks with the platform. */
const checked = ["phone", "platform_id", "account_id", "token"] as const;

interface Props {
  /** Null for a new sender. */
  readonly sender: Sender | null;
  readonly onClose: () => void;
  readonly onAdded: (sender: Sender) => void;
}

export function NumberForm({ sender, onClose, onAdded }: Props) {
  const { t } = useTranslation("connections");
  const [provider, setProvider] = useState<(typeof channels)[number]>(sender?.provider ?? "platform-apicloud");
  const [name, setName] = useState(sender?.name ?? "");
  const [phone, setPhone] = useState(sender?.phone ?? "");
  const [platformId, setPlatformId] = useState(sender?.platform_id ?? "");
  const [accountId, setAccountId] = useState(sender?.account_id ?? "");
  const [token, setToken] = useState("");
  const [rate, setRate] = useState(sender?.messages_per_second ?? usualRate);
  const save = useChange(key, () => {
    const body = {
      provider,
      name: name || null,
      phone,
      platform_id: platformId.trim(),
      account_id: accountId.trim(),
      messages_per_second: rate,
      ...(token && { token: token.trim() }),
    };
    if (sender === null) return answered(api.POST("/admin/senders", { body }));
    return answered(api.PUT("/admin/senders/{id}", { params: { path: { id: sender.id } }, body }));
  });
  const typed = JSON.stringify([provider, name, phone, platformId, accountId, token, rate]);
  const [first] = useState(typed);
  const { release, question } = useLeaving(typed !== first);
  const refusal = fieldRefusal(save.error, checked);
  const refused = refusal?.problem === "other" ? refusal.name : null;
  const errorOf = (field: (typeof checked)[number]): string | undefined =>
    field === refused ? t(`numbers.wrong.${field}`) : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(undefined, {
      onSuccess: (saved) => {
        release();
        if (sender === null) onAdded(saved);
        else onClose();
      },
    });
  };
  const hasPhone = provider !== "platform-page" && provider !== "platform-photo";
  const hasAccount = provider !== "qr" && provider !== "provider-b";

  return (
    <Dialog opened onClose={onClose} title={t(sender === null ? "numbers.add" : "numbers.edit")}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Select
            data-autofocus
            label={t("numbers.channel")}
            data={channels.map((value) => ({ value, label: t(`numbers.channels.${value}`) }))}
            value={provider}
            allowDeselect={false}
            onChange={(chosen) => setProvider(channels.find((each) => each === chosen) ?? provider)}
          />
          <TextInput
            label={t("numbers.name")}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            required
            label={t(hasPhone ? "numbers.phoneNumber" : "numbers.phone")}
            description={hasPhone && t("numbers.phoneHint")}
            maxLength={64}
            value={phone}
            error={errorOf("phone")}
            onChange={(event) => setPhone(event.currentTarget.value)}
          />
          <TextInput
            required
            label={t(`numbers.platformId.${provider}`)}
            maxLength={200}
            value={platformId}
            error={errorOf("platform_id")}
            onChange={(event) => setPlatformId(event.currentTarget.value)}
          />
          {hasAccount && (
            <TextInput
              required={provider === "platform-apicloud"}
              label={t(provider === "platform-apicloud" ? "numbers.businessAccountId" : "numbers.accountId")}
              maxLength={200}
              value={accountId}
              error={errorOf("account_id")}
              onChange={(event) => setAccountId(event.currentTarget.value)}
            />
          )}
          <PasswordInput
            required={sender === null}
            label={t("numbers.token")}
            description={t(sender === null ? "numbers.tokenHint" : "numbers.keep")}
            autoComplete="off"
            visibilityToggleButtonProps={{ "aria-hidden": true }}
            value={token}
            error={errorOf("token")}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <NumberInput
            label={t("numbers.rate")}
            min={1}
            max={100_000}
            allowDecimal={false}
            value={rate}
            onChange={(value) => setRate(Number(value) || usualRate)}
          />
          {refused === null && <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t("save")}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Dialog>
  );
}
