import { Switch, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { type Hours, hoursOf, weekOf } from "./hours.ts";
import week from "./week.module.css";
import { WeekGrid } from "./week-grid.tsx";
import { WeekTimes } from "./week-times.tsx";

interface HoursProps {
  readonly hours: Hours;
  readonly onChange: (hours: Hours) => void;
}

/** The hours that are set when the user turns “always open” off. */
const usual: Hours = Object.fromEntries(["mon", "tue", "wed", "thu", "fri"].map((day) => [day, [["09:00", "18:00"]]]));

export function OpeningHours({ hours, onChange }: HoursProps) {
  const { t } = useTranslation("people");
  const { zona_horaria } = useMe();
  const shown = weekOf(hours);
  return (
    <section aria-labelledby="hours" className={week.week}>
      <Title order={2} size="h4" id="hours">
        {t("departments.hours")}
      </Title>
      <Switch
        label={t("departments.always")}
        checked={hours === null}
        onChange={(event) => onChange(event.currentTarget.checked ? null : usual)}
      />
      {hours !== null && (
        <>
          <p className={week.hint}>
            {t("hours.paint")} {t("hours.zone", { zone: zona_horaria })}
          </p>
          <div className={week.editor}>
            <WeekGrid week={shown} onChange={(next) => onChange(hoursOf(next))} />
            <WeekTimes week={shown} onChange={(next) => onChange(hoursOf(next))} />
          </div>
        </>
      )}
    </section>
  );
}
