import type { Offering } from "../offer.ts";
import type { Row } from "../row.ts";
import { those } from "../run-row.ts";

/** Rows without an attack: a busy machine, and too many normal clients. */
export const loadRows: Readonly<Record<string, Row>> = {
  control: {
    about: "no attack; a process without requests uses a whole CPU",
    isControl: true,
    attackers: () => [{ attack: "burn", settings: { percent: 100 } }],
  },

  twice: {
    about: "twice the capacity of the machine, in equal shares from 50 businesses",
    endsItself: true,
    attackers: ({ arena }) => {
      const settings: Offering = {
        requests: arena.others.map((id) => ({ path: arena.orderPath(id), headers: { "x-api-key": arena.appKey(id) } })),
        levels: [16, 32, 64, 128],
        levelMs: 2_500,
        pairs: 5,
        closedMs: 6_000,
        factor: 2,
        openMs: 6_000,
        restMs: 4_000,
        // Many are needed, since a delayed refusal occupies its connection for 2.5 s on average.
        connections: 200,
        ...(arena.elsewhere && { addresses: arena.others.map((id) => `127.0.1.${id}`) }),
      };
      return [{ attack: "offer", settings, niceness: 0 }];
    },
    judge: (_scene, [told]) => {
      const { outcomes = {}, figures = {} } = told ?? {};
      const percent = figures["of what was carried %"] ?? 0;
      const spread = figures["spread of shares %"] ?? Number.POSITIVE_INFINITY;
      const others = Object.keys(outcomes).filter((outcome) => !["200", "429", "503"].includes(outcome));
      return {
        misses: those(
          percent < 85 && `it answered ${percent} % of what it carries otherwise, less than 85 %`,
          spread >= 20 && `the shares of businesses that ask alike differ by ${spread} %`,
          others.length > 0 && `requests ended as ${others.join(", ")}`,
          (figures["not sent"] ?? 0) > 0 &&
            `${figures["not sent"]} requests could not be sent: nothing was answered in time`,
        ),
      };
    },
  },
};
