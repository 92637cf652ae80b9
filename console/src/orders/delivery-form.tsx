import { Alert, Button, Group, Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { useLeaving } from "../shared/leaving.tsx";
import { newestError } from "../shared/newest-error.ts";
import { queryClient } from "../shared/query.ts";
import { useDrivers } from "./choices.ts";
import { DeliveryFields } from "./delivery-fields.tsx";
import styles from "./drawer.module.css";
import { assignDriver, type Delivery, isOpen, type OpenOrder, orderKey, saveDelivery } from "./orders.ts";

/** The changes whose values are not saved yet. */
const without = (changes: Partial<Delivery>, saved: Delivery): Partial<Delivery> =>
  Object.fromEntries(Object.entries(changes).filter(([name, value]) => saved[name as keyof Delivery] !== value));

/** Entered values stay until they are saved, even if somebody else changes the order. */
export function DeliveryForm({ opened: { order, version } }: { readonly opened: OpenOrder }) {
  const { t } = useTranslation("orders");
  const [changes, setChanges] = useState<Partial<Delivery>>({});
  const reload = () => queryClient.invalidateQueries({ queryKey: orderKey(order.id) });
  const save = useMutation({
    mutationFn: (wanted: Delivery) => saveDelivery(order.id, wanted, version),
    // Keeps the changes that the user made during the save.
    onSuccess: (_, saved) => setChanges((now) => without(now, saved)),
    onSettled: reload,
  });
  const driver = useMutation({
    mutationFn: (id: number | null) => assignDriver(order.id, id, version),
    onSettled: reload,
  });
  const isDirty = Object.keys(changes).length > 0;
  const { question } = useLeaving(isDirty);
  const failure = newestError(save, driver);
  const mayEdit = isOpen(order);
  return (
    <section aria-labelledby="delivery">
      {question}
      <h3 id="delivery" className={styles.heading}>
        {t("delivery")}
      </h3>
      <fieldset disabled={!mayEdit} className={styles.fieldset}>
        <DeliveryFields
          value={{ ...order, ...changes }}
          onChange={(more) => setChanges((before) => ({ ...before, ...more }))}
        />
        {order.shipment_method !== "pickup" && (
          <Driver
            chosen={order.driver}
            isSaving={driver.isPending}
            isDisabled={!mayEdit}
            onChoose={(id) => driver.mutate(id)}
          />
        )}
      </fieldset>
      {failure && (
        <Alert color="red" variant="outline" role="alert" mt="sm">
          {t(failure instanceof Refused && failure.status === 412 ? "changedMeanwhile" : "notSaved")}
        </Alert>
      )}
      {isDirty && (
        <Group justify="flex-end" mt="sm" className={styles.save}>
          <Button variant="default" onClick={() => setChanges({})}>
            {t("undo")}
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate({ ...order, ...changes })}>
            {t("save")}
          </Button>
        </Group>
      )}
    </section>
  );
}

interface DriverProps {
  readonly chosen: { readonly id: number; readonly nombre: string } | null;
  readonly isSaving: boolean;
  readonly isDisabled: boolean;
  readonly onChoose: (id: number | null) => void;
}

function Driver({ chosen, isSaving, isDisabled, onChoose }: DriverProps) {
  const { t } = useTranslation("orders");
  const { data: drivers = [] } = useDrivers();
  const all = chosen && !drivers.some(({ id }) => id === chosen.id) ? [chosen, ...drivers] : drivers;
  return (
    <Select
      mt="sm"
      label={t("driver")}
      placeholder={t("noDriver")}
      data={all.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
      value={chosen ? String(chosen.id) : null}
      onChange={(id) => onChoose(id === null ? null : Number(id))}
      disabled={isSaving || isDisabled}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("filter.clear") }}
    />
  );
}
