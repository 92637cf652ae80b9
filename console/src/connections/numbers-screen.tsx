import "./texts.ts";
import { Badge, Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading, More, Nothing, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { shownPhone } from "../shared/phone.ts";
import type { NumbersSearch } from "./dialogs-search.ts";
import { NumberForm } from "./number-form.tsx";
import { PairPhone } from "./pair-phone.tsx";
import { PlatformSetup } from "./platform-setup.tsx";
import { SenderDialog } from "./sender-dialog.tsx";
import { key, type Sender, stateOf } from "./senders.ts";

/** The list is read this often, since platforms can change a number's state and quality at any time. */
const watchMs = 10_000;

export function NumbersScreen() {
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("numbers");
  const { sender: edited, pair } = useSearch({ strict: false }) as NumbersSearch;
  const navigate = useNavigate();
  const open = (search: NumbersSearch, replace = false) => void navigate({ to: "/settings/numbers", search, replace });
  const list = useInfiniteQuery({
    queryKey: ["admin", key],
    queryFn: ({ pageParam, signal }) =>
      answered(api.GET("/admin/senders", { params: { query: pageParam ? { cursor: pageParam } : {} }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchOnMount: "always",
    refetchInterval: watchMs,
  });
  const { data, isPending, error, refetch } = list;
  const senders = data?.pages.flatMap((page) => page.data) ?? [];
  const close = (): void => open({}, true);
  return (
    <Page place="numbers" action={<Button onClick={() => open({ sender: "new" })}>{t("numbers.add")}</Button>}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && senders.length === 0 && <Nothing text={t("numbers.none")} />}
      {senders.length > 0 && (
        <ul aria-label={placeTitle} className={styles.list}>
          {senders.map((sender) => (
            <Row
              key={sender.id}
              sender={sender}
              onEdit={() => open({ sender: sender.id })}
              onPair={() => open({ pair: sender.id })}
            />
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
      <PlatformSetup />
      {edited === "new" && (
        <NumberForm
          sender={null}
          onClose={close}
          onAdded={({ id, provider }) => open(provider === "qr" ? { pair: id } : {}, true)}
        />
      )}
      {typeof edited === "number" && (
        <SenderDialog key={edited} id={edited} title={t("numbers.edit")} onClose={close}>
          {(sender) => <NumberForm sender={sender} onClose={close} onAdded={close} />}
        </SenderDialog>
      )}
      {pair !== undefined && (
        <SenderDialog key={pair} id={pair} title={t("numbers.pair")} onClose={close}>
          {(sender) => <PairPhone sender={sender} onClose={close} />}
        </SenderDialog>
      )}
    </Page>
  );
}

interface RowProps {
  readonly sender: Sender;
  readonly onEdit: () => void;
  readonly onPair: () => void;
}

const colors = { open: "brand", none: "brand", connecting: "yellow", close: "red", unpaired: "yellow" } as const;
/** Badge colors by the quality that platforms report for a number. */
const ratings = { GREEN: "gray", YELLOW: "yellow", RED: "red" } as const;

function Row({ sender, onEdit, onPair }: RowProps) {
  const { t } = useTranslation("connections");
  const { id, name, phone, provider, state, quality, cuenta } = sender;
  // A page or a photo account has an id instead of a phone number.
  const address = provider === "platform-page" || provider === "platform-photo" ? phone : shownPhone(phone);
  const isNamed = name !== null && name !== "" && name !== phone;
  const title = isNamed ? name : address;
  const known = stateOf(sender);
  const rated = (Object.keys(ratings) as (keyof typeof ratings)[]).find((each) => each === quality);
  const remove = useChange(key, () => api.DELETE("/admin/senders/{id}", { params: { path: { id } } }));
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p className={styles.name}>{title}</p>
        <p className={styles.detail}>
          {[isNamed && address, t(`numbers.channels.${provider}`)].filter(Boolean).join(" · ")}
        </p>
        <div className={styles.badges}>
          <Badge variant="outline" color={known ? colors[known] : "gray"} tt="none">
            {known ? t(`numbers.state.${known}`) : state}
          </Badge>
          {quality && (
            <Badge variant="outline" color={rated ? ratings[rated] : "gray"} tt="none">
              {t("numbers.quality", { quality: rated ? t(`numbers.qualities.${rated}`) : quality })}
            </Badge>
          )}
        </div>
        {cuenta && <p className={styles.reason}>{t("numbers.account", { event: cuenta.evento })}</p>}
      </div>
      <div className={styles.actions}>
        {provider === "qr" && state !== "open" && (
          <Button size="sm" onClick={onPair} aria-label={`${t("numbers.pair")}: ${title}`}>
            {t("numbers.pair")}
          </Button>
        )}
        <Button variant="default" size="sm" onClick={onEdit} aria-label={`${t("numbers.edit")}: ${title}`}>
          {t("numbers.edit")}
        </Button>
        <Asking
          label={t("numbers.remove")}
          name={title}
          question={t("numbers.removeAsk", { name: title })}
          act={remove}
        />
      </div>
    </li>
  );
}
