/** An agent who is available, and what speaks for or against giving this one the next ticket or chat. */
export interface AgentLoad {
  readonly id: number;
  readonly name: string;
  /** Open tickets; where chats are given out, and open chats without one. */
  readonly load: number;
  /** Rises with each that they get; null where they never got one. */
  readonly lastGiven: number | null;
  /** Takes the tickets of the department; others only those of steps that name them. */
  readonly takesAll: boolean;
}

/** The agent whom the step names when available, else the one with the smallest load, assigned longest ago. */
export function chooseAgent(agents: readonly AgentLoad[], named: number | null): AgentLoad | null {
  const preferred = agents.find(({ id }) => id === named);
  if (preferred) return preferred;
  return agents.filter(({ takesAll }) => takesAll).reduce(lighter, null);
}

const lighter = (best: AgentLoad | null, agent: AgentLoad): AgentLoad =>
  best === null || compare(agent, best) < 0 ? agent : best;

const compare = (a: AgentLoad, b: AgentLoad): number =>
  a.load - b.load || (a.lastGiven ?? 0) - (b.lastGiven ?? 0) || a.id - b.id;

/** Those to whom a chat can be handed: not the one who has it, unless nobody else is there. */
export function receivers(agents: readonly AgentLoad[], holderId: number | null): readonly AgentLoad[] {
  const others = agents.filter(({ id }) => id !== holderId);
  return others.length > 0 ? others : agents;
}

/** An agent for each in turn, by the agents that the tickets' steps name; each choice weighs in the next. */
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
