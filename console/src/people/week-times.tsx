import "./texts.ts";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { TimeField } from "../shared/time-field.tsx";
import { type Day, days, minutesOf, type Span, timeOf, type Week } from "./hours.ts";
import styles from "./week.module.css";

interface TimesProps {
  readonly week: Week;
  readonly onChange: (week: Week) => void;
}

/** The service's limit. */
const mostSpans = 10;
const noon = 12 * 60;
const lastMinute = 23 * 60 + 59;

/** The initial value of an added range. It begins an hour after the last range, but at 23:58 at the latest. */
function nextSpan(spans: readonly Span[]): Span {
  const last = spans.at(-1);
  if (!last) return ["09:00", "18:00"];
  const end = minutesOf(last[1]) <= minutesOf(last[0]) ? lastMinute : minutesOf(last[1]);
  const from = Math.min(end + 60, lastMinute - 1);
  return [timeOf(from), timeOf(Math.min(from + noon / 4, lastMinute))];
}

/** Opening hours to the minute. */
export function WeekTimes({ week, onChange }: TimesProps) {
  const { t } = useTranslation("people");
  return (
    <ul aria-label={t("hours.precise")} className={styles.days}>
      {days.map((day) => (
        <DayTimes key={day} day={day} week={week} onChange={onChange} />
      ))}
    </ul>
  );
}

function DayTimes({ day, week, onChange }: TimesProps & { readonly day: Day }) {
  const { t } = useTranslation("people");
  const name = t(`hours.days.${day}`);
  const spans = week[day];
  const write = (next: readonly Span[]) => onChange({ ...week, [day]: next });
  const set = (place: number, span: Span) => write(spans.map((each, at) => (at === place ? span : each)));
  return (
    <li className={styles.day}>
      <p>{name}</p>
      <div className={styles.spans}>
        {spans.length === 0 && <span className={styles.hint}>{t("hours.closedDay")}</span>}
        {spans.map((span, place) => (
          <SpanFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a range has no other name, and its fields must keep the focus
            key={place}
            name={name}
            span={span}
            onChange={(next) => set(place, next)}
            onRemove={() => write(spans.filter((_, at) => at !== place))}
          />
        ))}
      </div>
      <div className={styles.span}>
        <ActionIcon
          variant="subtle"
          size="lg"
          disabled={spans.length >= mostSpans}
          aria-label={t("hours.add", { day: name })}
          title={t("hours.add", { day: name })}
          onClick={() => write([...spans, nextSpan(spans)])}
        >
          <Icon name="plus" />
        </ActionIcon>
        <CopyDay day={day} week={week} onChange={onChange} />
      </div>
    </li>
  );
}

interface SpanProps {
  readonly name: string;
  readonly span: Span;
  readonly onChange: (span: Span) => void;
  readonly onRemove: () => void;
}

/** The field cannot show 24:00. For the service, 00:00 as an end means the same. */
const forField = (time: string): string => (time === "24:00" ? "00:00" : time);

function SpanFields({ name, span: [from, to], onChange, onRemove }: SpanProps) {
  const { t } = useTranslation("people");
  const goesOn = minutesOf(to) <= minutesOf(from) && forField(to) !== "00:00";
  return (
    <div className={styles.span}>
      <TimeField
        aria-label={t("hours.from", { day: name })}
        time={from}
        onTime={(chosen) => onChange([chosen, to])}
        className={styles.at}
      />
      <span aria-hidden="true">–</span>
      <TimeField
        aria-label={t("hours.to", { day: name })}
        time={forField(to)}
        onTime={(chosen) => onChange([from, chosen])}
        className={styles.at}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("hours.remove", { day: name, range: `${from}–${to}` })}
        onClick={onRemove}
      >
        <Icon name="close" size={18} />
      </ActionIcon>
      {goesOn && <span className={styles.hint}>{t("hours.nextDay")}</span>}
    </div>
  );
}

function CopyDay({ day, week, onChange }: TimesProps & { readonly day: Day }) {
  const { t } = useTranslation("people");
  const name = t(`hours.days.${day}`);
  const copyTo = (others: readonly Day[]) =>
    onChange({ ...week, ...Object.fromEntries(others.map((other) => [other, week[day]])) });
  return (
    <Menu position="bottom-end" withinPortal shadow="md">
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" aria-label={t("hours.copyFrom", { day: name })}>
          {t("hours.copy")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copyTo(days)}>{t("hours.copyAll")}</Menu.Item>
        <Menu.Item onClick={() => copyTo(days.slice(0, 5))}>{t("hours.copyWeek")}</Menu.Item>
        <Menu.Divider />
        {days
          .filter((other) => other !== day)
          .map((other) => (
            <Menu.Item key={other} onClick={() => copyTo([other])}>
              {t(`hours.days.${other}`)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
