import { ActionIcon, Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { DayField } from "../shared/day-field.tsx";
import { Icon } from "../shared/icons.tsx";
import { dayIn } from "../shared/time.ts";
import styles from "./business.module.css";
import { type Conversion, conversionOf, groupsOf, type Rate, type RateGroup } from "./rates.ts";

interface FieldProps {
  readonly value: Conversion | null;
  readonly onChange: (value: Conversion | null) => void;
}

const changedAt = <Item,>(all: readonly Item[], place: number, change: Partial<Item>): Item[] =>
  all.map((each, at) => (at === place ? { ...each, ...change } : each));

/** Rates of other currencies. Rates with a date apply from that day. */
export function RatesField({ value, onChange }: FieldProps) {
  const { t } = useTranslation("people");
  const { zona_horaria } = useMe();
  const [groups, setGroups] = useState(() => groupsOf(value));
  const write = (next: readonly RateGroup[]): void => {
    setGroups([...next]);
    onChange(conversionOf(next));
  };
  const blank: Rate = { code: "", value: "" };
  const today = dayIn(zona_horaria);
  const addDate = () =>
    write([...groups.map((one) => ({ ...one, from: one.from || today })), { from: today, rates: [blank] }]);
  return (
    <div className={styles.groups}>
      {groups.map((group, place) => (
        <RatesOfGroup
          // biome-ignore lint/suspicious/noArrayIndexKey: a group has no other name, and its fields must keep the focus
          key={place}
          group={group}
          onChange={(change) => write(changedAt(groups, place, change))}
          onRemove={() => write(groups.filter((_, at) => at !== place))}
        />
      ))}
      <Group gap="xs">
        {groups.length === 0 && (
          <Button variant="default" size="sm" onClick={() => write([{ from: "", rates: [blank] }])}>
            {t("flags.addRate")}
          </Button>
        )}
        {groups.length > 0 && (
          <Button variant="default" size="sm" onClick={addDate}>
            {t("flags.addDate")}
          </Button>
        )}
      </Group>
    </div>
  );
}

interface GroupProps {
  readonly group: RateGroup;
  readonly onChange: (change: Partial<RateGroup>) => void;
  readonly onRemove: () => void;
}

function RatesOfGroup({ group: { from, rates }, onChange, onRemove }: GroupProps) {
  const { t } = useTranslation("people");
  const set = (place: number, change: Partial<Rate>) => onChange({ rates: changedAt(rates, place, change) });
  const remove = (place: number) => {
    const rest = rates.filter((_, at) => at !== place);
    if (rest.length === 0) onRemove();
    else onChange({ rates: rest });
  };
  return (
    <div className={styles.rates}>
      {from !== "" && (
        <div className={styles.rate}>
          <DayField required label={t("flags.since")} day={from} onDay={(day) => onChange({ from: day })} />
          <Button variant="subtle" color="gray" onClick={onRemove}>
            {t("flags.removeDate")}
          </Button>
        </div>
      )}
      {rates.map(({ code, value }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rate has no other name, and its fields must keep the focus
        <div key={place} className={styles.rate}>
          <TextInput
            required
            maxLength={3}
            label={t("flags.code")}
            placeholder="USD"
            value={code}
            onChange={(event) => set(place, { code: event.currentTarget.value.toUpperCase() })}
          />
          <TextInput
            required
            inputMode="decimal"
            label={t("flags.rate")}
            placeholder="6.96"
            value={value}
            onChange={(event) => set(place, { value: event.currentTarget.value.replace(",", ".").trim() })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t("flags.removeRate", { code })}
            onClick={() => remove(place)}
          >
            <Icon name="close" size={18} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: "flex-start" }}
        onClick={() => onChange({ rates: [...rates, { code: "", value: "" }] })}
      >
        {t("flags.addRate")}
      </Button>
    </div>
  );
}
