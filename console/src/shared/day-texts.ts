import { addTexts } from "../app/i18n.ts";

const es = {
  format: "dd/mm/aaaa",
  time: "Hora",
  level: {
    monthLevelControl: "Elegir el mes",
    yearLevelControl: "Elegir el año",
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
    monthLevelControl: "Choose the month",
    yearLevelControl: "Choose the year",
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
    monthLevelControl: "Escolher o mês",
    yearLevelControl: "Escolher o ano",
    previousMonth: "Mês anterior",
    nextMonth: "Próximo mês",
    previousYear: "Ano anterior",
    nextYear: "Próximo ano",
    previousDecade: "Década anterior",
    nextDecade: "Próxima década",
  },
};

addTexts("day", { es, en, pt });
