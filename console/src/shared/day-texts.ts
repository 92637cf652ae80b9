import { addTexts } from "../app/i18n.ts";

// The calendar's other buttons need no texts: each is named by the month or year that it shows.
const es = {
  format: "dd/mm/aaaa",
  time: "Hora",
  level: {
    previousMonth: "Mes anterior",
    nextMonth: "Mes siguiente",
    previousYear: "Año anterior",
    nextYear: "Año siguiente",
    previousDecade: "Década anterior",
    nextDecade: "Década siguiente",
  },
};

export type DayTexts = typeof es;

const en: DayTexts = {
  format: "mm/dd/yyyy",
  time: "Time",
  level: {
    previousMonth: "Previous month",
    nextMonth: "Next month",
    previousYear: "Previous year",
    nextYear: "Next year",
    previousDecade: "Previous decade",
    nextDecade: "Next decade",
  },
};

const pt: DayTexts = {
  format: "dd/mm/aaaa",
  time: "Hora",
  level: {
    previousMonth: "Mês anterior",
    nextMonth: "Próximo mês",
    previousYear: "Ano anterior",
    nextYear: "Próximo ano",
    previousDecade: "Década anterior",
    nextDecade: "Próxima década",
  },
};

addTexts("day", { es, en, pt });
