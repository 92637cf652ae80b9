import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

type Spans = readonly (readonly string[])[];

describe("Opening hours of a department", () => {
  let world: World;
  let count = 0;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body: object) =>
    request(`${world.api}/admin/departments${path}`, { method, body, headers: { "x-api-key": world.appKey(1) } });
  const write = (horario: object | null) => {
    count += 1;
    return ask("POST", "", { nombre: `Depto ${count}`, horario });
  };

  const taken: [what: string, spans: Spans][] = [
    [
      "of several a day",
      [
        ["14:00", "18:00"],
        ["08:00", "12:00"],
      ],
    ],
    [
      "that follow one another without a pause",
      [
        ["08:00", "12:00"],
        ["12:00", "18:00"],
      ],
    ],
    ["of a whole day", [["00:00", "24:00"]]],
    ["that end a day at 24:00", [["18:00", "24:00"]]],
    ["past midnight", [["18:00", "09:00"]]],
    [
      "past midnight, after those of the day",
      [
        ["22:00", "02:00"],
        ["09:00", "13:00"],
      ],
    ],
    ["all round from one time on", [["08:00", "08:00"]]],
    [
      "until midnight and from there on",
      [
        ["00:00", "02:00"],
        ["20:00", "00:00"],
      ],
    ],
    ["of none", []],
  ];
  for (const [what, spans] of taken) {
    it(`may be ${what}`, async () => {
      const { status, json, text } = await write({ sat: spans, sun: spans });
      expect(status, text).to.equal(201);
      expect(json.horario).to.deep.equal({ sat: spans, sun: spans });
    });
  }

  const refused: [what: string, hours: object, words: readonly string[]][] = [
    [
      "overlap",
      {
        mon: [
          ["09:00", "13:00"],
          ["12:00", "18:00"],
        ],
      },
      ["horario.mon", "09:00-13:00", "12:00-18:00"],
    ],
    [
      "overlap in another order",
      {
        tue: [
          ["12:00", "18:00"],
          ["09:00", "13:00"],
        ],
      },
      ["horario.tue", "12:00-18:00"],
    ],
    [
      "stand there twice",
      {
        mon: [
          ["09:00", "13:00"],
          ["09:00", "13:00"],
        ],
      },
      ["horario.mon", "09:00-13:00"],
    ],
    [
      "begin in a night of their day",
      {
        fri: [
          ["22:00", "02:00"],
          ["23:00", "24:00"],
        ],
      },
      ["horario.fri", "22:00-02:00"],
    ],
    [
      "begin in the night of the day before",
      { mon: [["22:00", "06:00"]], tue: [["05:00", "08:00"]] },
      ["horario.tue", "22:00-06:00 (mon)", "05:00-08:00"],
    ],
    [
      "begin on Monday in the night of Sunday",
      { mon: [["00:00", "08:00"]], sun: [["20:00", "00:01"]] },
      ["horario.mon", "20:00-00:01 (sun)"],
    ],
    ["begin once the day is over", { sun: [["24:00", "08:00"]] }, ["horario.sun", "24:00-08:00"]],
    ["are of no day", { lunes: [["09:00", "18:00"]] }, ["horario", "mon, tue"]],
    [
      "are no times",
      {
        wed: [
          ["09:00", "18:00"],
          ["9", "18:00"],
        ],
      },
      ["horario.wed[1][0] debe ser una hora como 09:00"],
    ],
    ["have no end", { thu: [["09:00"]] }, ["horario.thu[0] debe tener dos horas"]],
    ["end after the day", { thu: [["09:00", "24:01"]] }, ["horario.thu[0][1]"]],
  ];
  for (const [what, hours, words] of refused) {
    it(`are refused if they ${what}`, async () => {
      const kept = (await write({ mon: [["08:00", "09:00"]] })).json;
      for (const { status, json } of [
        await write(hours),
        await ask("PUT", `/${kept.id}`, { ...kept, horario: hours }),
      ]) {
        expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
        for (const each of words) expect(json.error).to.include(each);
      }
    });
  }

  it("can stay as they are stored while other fields change", async () => {
    const stored = {
      sun: [
        ["00:00", "24:00"],
        ["22:30", "02:00"],
      ],
    };
    const { id, version } = (await write(null)).json;
    await world.rows("update departments set opening_hours = $1 where business_id = 1 and id = $2", [stored, id]);
    const kept = { nombre: `Con otro nombre ${id}`, horario: stored };
    const { status, json, text } = await ask("PUT", `/${id}`, kept);
    expect(status, text).to.equal(200);
    expect(json).to.deep.include({ ...kept, version: version + 1 });
    expect((await ask("PUT", `/${id}`, { ...kept, horario: { mon: stored.sun } })).status).to.equal(400);
  });
});
