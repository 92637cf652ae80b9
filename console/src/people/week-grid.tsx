import "./texts.ts";
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Day, days, openMinutes, painted, slotMinutes, slotOf, slotsOfDay, timeOf, type Week } from "./hours.ts";
import styles from "./week.module.css";

interface Place {
  readonly day: number;
  readonly slot: number;
}

interface Stroke extends Place {
  readonly isOpening: boolean;
  /** The hours as they were before the stroke. Slots that the stroke leaves again return to this state. */
  readonly before: Week;
}

interface GridProps {
  readonly week: Week;
  readonly onChange: (week: Week) => void;
}

const slots = Array.from({ length: slotsOfDay }, (_, slot) => slot);
const begin: Place = { day: 0, slot: (9 * 60) / slotMinutes };

/** Paints the same slots on every day between the start of the stroke and `to`, both included. */
function strokeTo({ day, slot, isOpening, before }: Stroke, to: Place): Week {
  const [first, last] = [Math.min(day, to.day), Math.max(day, to.day)];
  return days
    .slice(first, last + 1)
    .reduce<Week>((week, each) => painted(week, each, [slot, to.slot], isOpening), before);
}

/** The week in half hours. It can be painted by mouse, tapped, or edited with the keyboard. */
export function WeekGrid({ week, onChange }: GridProps) {
  const { t } = useTranslation("people");
  const grid = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState(begin);
  const stroke = useRef<Stroke | null>(null);
  const open = openMinutes(week);
  const isOpen = ({ day, slot }: Place): boolean => slotOf(open[days[day] as Day], slot) === "open";
  const startAt = (place: Place): Stroke => ({ ...place, isOpening: !isOpen(place), before: week });

  useEffect(() => {
    const end = (): void => {
      stroke.current = null;
    };
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
    return () => {
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
  }, []);

  const placeOf = (target: EventTarget): Place | null => {
    const { day, slot } = (target as HTMLElement).dataset;
    return day === undefined || slot === undefined ? null : { day: Number(day), slot: Number(slot) };
  };
  // A touch may scroll the page, so it does not paint here. A tap is handled as a click.
  const press = (event: PointerEvent): void => {
    const place = placeOf(event.target);
    if (!place || event.pointerType === "touch" || event.button !== 0) return;
    stroke.current = startAt(place);
    setAt(place);
    onChange(strokeTo(stroke.current, place));
  };
  const drag = (event: PointerEvent): void => {
    const place = placeOf(event.target);
    if (place && stroke.current && event.buttons === 1) onChange(strokeTo(stroke.current, place));
  };
  const tap = (event: React.MouseEvent): void => {
    const place = placeOf(event.target);
    const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
    if (place && pointerType === "touch") onChange(strokeTo(startAt(place), place));
  };
  const walk = (event: KeyboardEvent): void => {
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      onChange(strokeTo(startAt(at), at));
      return;
    }
    const next = placeAfter(at, event.key);
    if (!next) return;
    event.preventDefault();
    // With Shift, the key also gives the state of the current slot to all slots up to `next`.
    if (event.shiftKey) onChange(strokeTo({ ...at, isOpening: isOpen(at), before: week }, next));
    setAt(next);
    grid.current?.querySelector<HTMLElement>(`[data-day="${next.day}"][data-slot="${next.slot}"]`)?.focus();
  };

  return (
    <table
      ref={grid}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid's cells can be selected, a table's cannot
      role="grid"
      aria-label={t("hours.week")}
      aria-multiselectable="true"
      className={styles.grid}
      onPointerDown={press}
      onPointerOver={drag}
      onClick={tap}
      onKeyDown={walk}
    >
      <thead>
        <tr>
          <th scope="col" className={styles.time}>
            <span data-hidden="true">{t("hours.hour")}</span>
          </th>
          {days.map((day) => (
            <th key={day} scope="col" aria-label={t(`hours.days.${day}`)} className={styles.dayName}>
              {t(`hours.short.${day}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {slots.map((slot) => (
          <tr key={slot}>
            <th scope="row" className={styles.time}>
              <span data-hidden={slot % 4 !== 0 || slot === 0}>{timeOf(slot * slotMinutes)}</span>
            </th>
            {days.map((day, place) => {
              const state = slotOf(open[day], slot);
              const isHere = at.day === place && at.slot === slot;
              return (
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: in a grid it is a gridcell
                <td
                  key={day}
                  tabIndex={isHere ? 0 : -1}
                  aria-selected={state !== "closed"}
                  aria-label={`${t(`hours.days.${day}`)} ${timeOf(slot * slotMinutes)}, ${t(`hours.${state}`)}`}
                  data-day={place}
                  data-slot={slot}
                  data-state={state}
                  data-hour={slot % 2 === 0}
                  className={styles.slot}
                  onFocus={() => setAt({ day: place, slot })}
                />
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const steps: Readonly<Record<string, readonly [days: number, slots: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  PageUp: [0, -8],
  PageDown: [0, 8],
  Home: [-days.length, 0],
  End: [days.length, 0],
};

function placeAfter({ day, slot }: Place, key: string): Place | null {
  const step = steps[key];
  if (!step) return null;
  const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
  return { day: within(day + step[0], days.length - 1), slot: within(slot + step[1], slotsOfDay - 1) };
}
