import { addTexts } from "../app/i18n.ts";

const es = {
  import: "Importar",
  export: "Exportar",
  title: "Importar un archivo CSV",
  rules: "La primera fila nombra las columnas. Lo que ya existe se actualiza; una celda vacía no cambia nada.",
  choose: "Elegir archivo",
  running: "Importando…",
  ended: "Importado",
  stopped: "Importación detenida.",
  stop: "Detener",
  stays: "Si la detienes, lo ya importado queda.",
  created: "Creados: {{count}}",
  updated: "Actualizados: {{count}}",
  unchanged: "Sin cambios: {{count}}",
  refused: "Rechazados: {{count}}",
  refusedFile: "Descargar las filas rechazadas con su motivo",
  close: "Cerrar",
};

export type CsvTexts = typeof es;

const en: CsvTexts = {
  import: "Import",
  export: "Export",
  title: "Import a CSV file",
  rules: "The first row names the columns. What exists is updated; an empty cell changes nothing.",
  choose: "Choose file",
  running: "Importing…",
  ended: "Imported",
  stopped: "Import stopped.",
  stop: "Stop",
  stays: "If you stop it, what was imported stays.",
  created: "Created: {{count}}",
  updated: "Updated: {{count}}",
  unchanged: "Unchanged: {{count}}",
  refused: "Refused: {{count}}",
  refusedFile: "Download the refused rows with their reasons",
  close: "Close",
};

const pt: CsvTexts = {
  import: "Importar",
  export: "Exportar",
  title: "Importar um arquivo CSV",
  rules: "A primeira linha nomeia as colunas. O que já existe é atualizado; uma célula vazia não muda nada.",
  choose: "Escolher arquivo",
  running: "Importando…",
  ended: "Importado",
  stopped: "Importação interrompida.",
  stop: "Parar",
  stays: "Se você parar, o que já foi importado fica.",
  created: "Criados: {{count}}",
  updated: "Atualizados: {{count}}",
  unchanged: "Sem mudanças: {{count}}",
  refused: "Recusados: {{count}}",
  refusedFile: "Baixar as linhas recusadas com o motivo",
  close: "Fechar",
};

addTexts("csv", { es, en, pt });
