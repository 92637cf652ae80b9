import { Input, SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { MomentField } from "../shared/day-field.tsx";
import { useMoney } from "../shared/money.ts";
import { momentOf, wallTime } from "../shared/time.ts";
import { useBranches, useZones } from "./choices.ts";
import styles from "./drawer.module.css";
import type { Delivery } from "./orders.ts";
import { payments, usePaymentName } from "./payments.ts";

export const noDelivery: Delivery = {
  shipment_method: null,
  payment_method: null,
  sucursal_id: null,
  location_picked: null,
  raw_adress: null,
  paid: null,
  schedule_at: null,
  zone_id: null,
};

interface DeliveryFieldsProps {
  readonly value: Delivery;
  readonly onChange: (changes: Partial<Delivery>) => void;
}

export function DeliveryFields({ value, onChange }: DeliveryFieldsProps) {
  const { t } = useTranslation("orders");
  const { zona_horaria } = useMe();
  const money = useMoney();
  const { data: branches = [] } = useBranches();
  const { data: zones = [] } = useZones();
  const isPickup = value.shipment_method === "pickup";
  return (
    <div className={styles.fields}>
      <Input.Wrapper label={t("shipment")} labelElement="div" className={styles.whole}>
        <SegmentedControl
          fullWidth
          aria-label={t("shipment")}
          data={[
            { value: "", label: t("undecided") },
            { value: "delivery", label: t("method.delivery") },
            { value: "pickup", label: t("method.pickup") },
          ]}
          value={value.shipment_method ?? ""}
          onChange={(method) => onChange({ shipment_method: method === "" ? null : (method as "delivery" | "pickup") })}
        />
      </Input.Wrapper>
      <Select
        label={t("branch")}
        data={branches.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
        value={value.sucursal_id === null ? null : String(value.sucursal_id)}
        onChange={(id) => onChange({ sucursal_id: id === null ? null : Number(id) })}
        clearable
        clearButtonProps={{ "aria-label": t("filter.clear") }}
      />
      <MomentField
        label={t("schedule")}
        moment={value.schedule_at ? wallTime(value.schedule_at, zona_horaria) : ""}
        onMoment={(moment) => onChange({ schedule_at: moment ? momentOf(moment, zona_horaria) : null })}
      />
      {!isPickup && (
        <>
          <Select
            label={t("zone")}
            data={zones.map(({ id, nombre, precio }) => ({ value: String(id), label: `${nombre} · ${money(precio)}` }))}
            value={value.zone_id === null ? null : String(value.zone_id)}
            onChange={(id) => onChange({ zone_id: id === null ? null : Number(id) })}
            searchable
            clearable
            clearButtonProps={{ "aria-label": t("filter.clear") }}
          />
          <TextInput
            label={t("place")}
            value={value.location_picked ?? ""}
            maxLength={255}
            onChange={({ currentTarget }) => onChange({ location_picked: currentTarget.value || null })}
          />
          <Textarea
            label={t("address")}
            className={styles.whole}
            autosize
            minRows={1}
            maxRows={5}
            maxLength={1_000}
            value={value.raw_adress ?? ""}
            onChange={({ currentTarget }) => onChange({ raw_adress: currentTarget.value || null })}
          />
        </>
      )}
      <Payment chosen={value.payment_method} onChoose={(payment_method) => onChange({ payment_method })} />
      <Switch
        className={styles.paid}
        label={t("paid")}
        checked={value.paid === true}
        onChange={({ currentTarget }) => onChange({ paid: currentTarget.checked })}
      />
    </div>
  );
}

interface PaymentProps {
  readonly chosen: string | null;
  readonly onChoose: (payment: string | null) => void;
}

function Payment({ chosen, onChoose }: PaymentProps) {
  const { t } = useTranslation("orders");
  const nameOf = usePaymentName();
  const ways = chosen === null ? payments : [...new Set([...payments, chosen])];
  return (
    <Select
      label={t("payment")}
      data={ways.map((value) => ({ value, label: nameOf(value) }))}
      value={chosen}
      onChange={onChoose}
      clearable
      clearButtonProps={{ "aria-label": t("filter.clear") }}
    />
  );
}
