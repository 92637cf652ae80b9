import { Alert, Loader, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { answered, api, Refused } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { queryClient } from "../shared/query.ts";
import styles from "./connections.module.css";
import { key, type Sender } from "./senders.ts";

/** A code is valid for less than a minute. */
const renewMs = 40_000;
const watchMs = 1_500;

async function fetchCode(id: number, signal: AbortSignal): Promise<string> {
  const params = { path: { id } };
  const { data, error, response } = await api.GET("/admin/senders/{id}/qr.png", { params, parseAs: "blob", signal });
  if (!response.ok || !(data instanceof Blob)) throw new Refused(response.status, error);
  return await asDataUrl(data);
}

/** Unlike an object URL, a data URL need not be revoked. */
const asDataUrl = (image: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(image);
  });

/** Shows the QR code until the phone is connected. */
export function PairPhone({ sender, onClose }: { readonly sender: Sender; readonly onClose: () => void }) {
  const { t } = useTranslation("connections");
  const { id } = sender;
  const name = sender.name || sender.phone;
  const { data: now } = useQuery({
    queryKey: ["admin", key, id],
    queryFn: ({ signal }) => answered(api.GET("/admin/senders/{id}", { params: { path: { id } }, signal })),
    refetchOnMount: "always",
    refetchInterval: ({ state }) => (state.data?.state === "open" ? false : watchMs),
  });
  const isOpen = now?.state === "open";
  const code = useQuery({
    queryKey: ["pairing-code", id],
    queryFn: ({ signal }) => fetchCode(id, signal),
    enabled: !isOpen,
    gcTime: 0,
    refetchInterval: renewMs,
  });
  // The list is read again, since it still shows the phone as not connected.
  useEffect(() => {
    if (isOpen) void queryClient.invalidateQueries({ queryKey: ["admin", key], exact: true });
  }, [isOpen]);

  return (
    <Dialog opened onClose={onClose} title={`${t("numbers.pair")}: ${name}`}>
      {isOpen ? (
        <Alert color="brand" variant="light" role="status">
          {t("numbers.paired")}
        </Alert>
      ) : (
        <Stack>
          <Text>{t("numbers.pairLead")}</Text>
          <div className={styles.code}>
            {code.data && <img src={code.data} alt={t("numbers.code", { name })} />}
            {code.isPending && <Loader aria-label={t("numbers.pair")} role="status" />}
          </div>
          <Failure error={code.error} again={() => void code.refetch()} />
          <Text size="sm" c="dimmed">
            {t("numbers.renew")}
          </Text>
        </Stack>
      )}
    </Dialog>
  );
}
