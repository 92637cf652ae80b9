/** An agent who is available, and what speaks for or against giving this one the next ticket. */
export interface AgentLoad {
  readonly id: number;
  readonly name: string;
  readonly openTickets: number;
  /** Tickets are numbered in the order in which they are assigned; null without any. */
  readonly lastTicketId: number | null;
  /** Takes the tickets of the department; others only those of steps that name them. */
  readonly takesAll: boolean;
}

/** The agent whom the step names when available, else the one with the fewest open tickets, assigned longest ago. */
export function chooseAgent(agents: readonly AgentLoad[], named: number | null): AgentLoad | null {
  const preferred = agents.find(({ id }) => id === named);
  if (preferred) return preferred;
  return agents.filter(({ takesAll }) => takesAll).reduce(lighter, null);
}

const lighter = (best: AgentLoad | null, agent: AgentLoad): AgentLoad =>
  best === null || compare(agent, best) < 0 ? agent : best;

const compare = (a: AgentLoad, b: AgentLoad): number =>
  a.openTickets - b.openTickets || (a.lastTicketId ?? 0) - (b.lastTicketId ?? 0) || a.id - b.id;

/** An agent for each ticket in turn, by the agents that the tickets' steps name; each choice weighs in the next. */
export function distribute(named: readonly (number | null)[], agents: readonly AgentLoad[]): (AgentLoad | null)[] {
  let loads = agents;
  let lastTicketId = Math.max(0, ...agents.map((agent) => agent.lastTicketId ?? 0));
  return named.map((name) => {
    const chosen = chooseAgent(loads, name);
    if (chosen === null) return null;
    lastTicketId += 1;
    const busier = { ...chosen, openTickets: chosen.openTickets + 1, lastTicketId };
    loads = loads.map((load) => (load === chosen ? busier : load));
    return chosen;
  });
}
