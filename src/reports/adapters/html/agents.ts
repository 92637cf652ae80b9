import type { AgentFigures } from "../../domain/report.ts";
import { cash, figure, nothing, table } from "./blocks.ts";
import { type Charts, colors, mostBars } from "./charts.ts";
import { count, escaped, money } from "./format.ts";

const heading = "Agentes";

/** Charts of the agents who sold most, and a table of all agents. */
export function agentsOf(charts: Charts, agents: readonly AgentFigures[], currency: string): string {
  if (agents.length === 0) return nothing(heading, "La empresa no tiene agentes activos.");
  const ranked = [...agents].sort((a, b) => b.sales.count - a.sales.count || b.tickets.total - a.tickets.total);
  const shown = ranked.slice(0, mostBars);
  const among = agents.length > shown.length ? ` (los ${mostBars} con más ventas, de ${count(agents.length)})` : "";
  return [
    salesOf(charts, shown, currency, `Ventas por agente${among}`),
    ticketsOf(charts, shown, `Tickets por agente y estado${among}`),
    tableOf(ranked, currency),
  ].join("\n");
}

function salesOf(charts: Charts, agents: readonly AgentFigures[], currency: string, title: string): string {
  if (!agents.some(({ sales }) => sales.count > 0)) return "";
  const rows = agents.map(({ name, sales }) => ({
    name,
    value: sales.count,
    text: `${count(sales.count)} · ${money(sales.amount, currency)}`,
    color: colors.sales,
  }));
  const described = describedBy(agents, ({ sales }) => sales.count);
  return figure(title, described, charts.bars(rows));
}

const ticketStates = [
  ["completed", "Completados"],
  ["inProgress", "En proceso"],
  ["pending", "Pendientes"],
  ["cancelled", "Cancelados"],
] as const;

function ticketsOf(charts: Charts, agents: readonly AgentFigures[], title: string): string {
  if (!agents.some(({ tickets }) => tickets.total > 0)) return "";
  const series = ticketStates.map(([state, name]) => ({
    name,
    color: colors[state],
    values: agents.map(({ tickets }) => tickets[state]),
  }));
  const names = agents.map(({ name }) => name);
  const described = describedBy(agents, ({ tickets }) => tickets.total);
  return figure(title, described, charts.stacked(names, series));
}

const describedBy = (agents: readonly AgentFigures[], countOf: (agent: AgentFigures) => number): string =>
  agents.map((agent) => `${agent.name}: ${count(countOf(agent))}`).join("; ");

function tableOf(agents: readonly AgentFigures[], currency: string): string {
  const rows = agents.map(({ name, sales, quotations, tickets }) => [
    escaped(name),
    count(sales.count),
    cash(sales.amount, currency),
    count(quotations.count),
    cash(quotations.amount, currency),
    count(tickets.total),
    count(tickets.completed),
    count(tickets.inProgress),
    count(tickets.pending),
    count(tickets.cancelled),
  ]);
  const headings = ["Agente", "Ventas", "Monto", "Cotiz.", "Monto", "Tickets", "Compl.", "Proceso", "Pend.", "Cancel."];
  return table(heading, headings, rows);
}
