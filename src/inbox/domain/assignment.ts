/** An available agent with the figures that decide who gets the next ticket or chat. */
export interface AgentLoad {
  readonly id: number;
  readonly name: string;
  /** Open tickets. When chats are assigned, open chats without an open ticket count too. */
  readonly load: number;
  /** Larger if the agent's last assignment is later; null if the agent never had an assignment. */
  readonly lastGiven: number | null;
  /** True if the agent takes every ticket of the line, false if only tickets whose step names the agent. */
  readonly takesAll: boolean;
}

/**
 * The named agent if available, else the agent with the smallest load among those with `takesAll`. A tie goes to the
 * agent whose last assignment is the oldest.
 */
export function chooseAgent(agents: readonly AgentLoad[], named: number | null): AgentLoad | null {
  const preferred = agents.find(({ id }) => id === named);
  if (preferred) return preferred;
  return agents.filter(({ takesAll }) => takesAll).reduce(lighter, null);
}

const lighter = (best: AgentLoad | null, agent: AgentLoad): AgentLoad =>
  best === null || compare(agent, best) < 0 ? agent : best;

const compare = (a: AgentLoad, b: AgentLoad): number =>
  a.load - b.load || (a.lastGiven ?? 0) - (b.lastGiven ?? 0) || a.id - b.id;

/** Agents who may get a transferred chat: all except the chat's holder, or the holder if there is no other agent. */
export function receivers(agents: readonly AgentLoad[], holderId: number | null): readonly AgentLoad[] {
  const others = agents.filter(({ id }) => id !== holderId);
  return others.length > 0 ? others : agents;
}

/**
 * Chooses an agent for each ticket or chat. Each choice adds to the chosen agent's load.
 *
 * @param named - for each ticket or chat, the agent that its step names, or null
 */
export function distribute(named: readonly (number | null)[], agents: readonly AgentLoad[]): (AgentLoad | null)[] {
  let loads = agents;
  let lastGiven = Math.max(0, ...agents.map((agent) => agent.lastGiven ?? 0));
  return named.map((name) => {
    const chosen = chooseAgent(loads, name);
    if (chosen === null) return null;
    lastGiven += 1;
    const busier = { ...chosen, load: chosen.load + 1, lastGiven };
    loads = loads.map((load) => (load === chosen ? busier : load));
    return chosen;
  });
}
