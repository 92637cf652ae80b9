import { isDeepStrictEqual } from "node:util";
import { groupBy } from "../../src/kernel/group-by.ts";
import type { Random } from "../../src/sandbox/core/random.ts";
import { eventually } from "../support/wait.ts";
import { businessId, type Outcome, type Victim } from "./scenario.ts";

interface Contact {
  readonly phone: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly opted_out: boolean;
}

/** Every fiftieth row has the same phone number as the row before it. */
const repeatedEvery = 50;

const header = "numero,nombre,Ciudad,tags,opted_out\n";
const lineOf = ({ phone, name, fields, tags, opted_out }: Contact): string =>
  `${phone},${name},${fields.Ciudad},${tags.join("|")},${opted_out}\n`;

const contactsOf = (prefix: string, rows: number): Contact[] =>
  Array.from({ length: rows }, (_, n) => {
    const isRepeated = n % repeatedEvery === repeatedEvery - 1;
    return {
      phone: `${prefix}${String(isRepeated ? n - 1 : n).padStart(6, "0")}`,
      name: `Fila ${n}`,
      fields: { Ciudad: `Ciudad ${n % 7}` },
      tags: n % 3 === 0 || isRepeated ? ["VIP"] : [],
      opted_out: n % 5 === 0,
    };
  });

const stored = (victim: Victim, prefix: string): Promise<Contact[]> =>
  victim.rows<Contact>(`
    select phone, name, fields, opted_out_at is not null as opted_out, array(
      select tag.name from contact_tags as tagged join tags as tag using (business_id)
      where tagged.business_id = contact.business_id and tagged.contact_id = contact.id and tag.id = tagged.tag_id
    ) as tags
    from contacts as contact where business_id = ${businessId} and phone like '${prefix}%' order by phone`);

const countOf = async (victim: Victim, prefix: string): Promise<number> => {
  const sql = `select count(*)::int as count from contacts where business_id = ${businessId} and phone like '${prefix}%'`;
  const [row] = await victim.rows<{ count: number }>(sql);
  return row?.count ?? 0;
};

/**
 * Interrupts imports by killing the process or disconnecting the client. Only complete rows may be stored, and a
 * repeated import must give the same contacts as an uninterrupted one.
 */
export async function dieWhileContactsAreImported(
  victim: Victim,
  first: number,
  random: Random,
  { rounds, rows }: { readonly rounds: number; readonly rows: number },
): Promise<Outcome> {
  const violations: string[] = [];
  const totals = { kept: 0, kills: 0, leavings: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const prefix = `593${String(first + round).padStart(6, "0")}`;
    const contacts = contactsOf(prefix, rows);
    const file = header + contacts.map(lineOf).join("");
    const half = file.slice(0, Math.floor(file.length * random.between(50, 90) * 0.01));
    const enough = random.between(1, Math.floor(rows * 0.4));
    const someAreIn = () => eventually(async () => (await countOf(victim, prefix)) >= enough, 20_000);
    const isKilled = round % 2 === 0;
    if (isKilled) {
      const broken = victim.import(file);
      await someAreIn();
      await victim.kill();
      if ((await broken) !== null) violations.push(`round ${round}: the import was over before it was killed`);
      await victim.startAgain();
      totals.kills += 1;
    } else {
      await victim.import(half, { leave: someAreIn });
      totals.leavings += 1;
    }

    const kept = await stored(victim, prefix);
    totals.kept += kept.length;
    const given = groupBy(contacts, ({ phone }) => phone);
    const asGiven = (row: Contact) => given.get(row.phone)?.some((each) => isDeepStrictEqual({ ...each }, { ...row }));
    const halves = kept.filter((row) => !asGiven(row));
    if (halves.length > 0) violations.push(`round ${round}: ${halves.length} rows are not as they were given`);

    const again = await victim.import(file);
    const counted = again && again.created + again.updated + again.unchanged;
    if (counted !== rows || again?.refused !== 0) violations.push(`round ${round}: ${JSON.stringify(again)}`);
    const undisturbed = prefix.replace("593", "594");
    await victim.import(header + contactsOf(undisturbed, rows).map(lineOf).join(""));
    const asIfUndisturbed = (await stored(victim, undisturbed)).map((row) => ({
      ...row,
      phone: row.phone.replace("594", "593"),
    }));
    if (!isDeepStrictEqual(await stored(victim, prefix), asIfUndisturbed)) {
      violations.push(`round ${round}: the contacts are not those of an undisturbed import`);
    }
  }
  return { figures: { rows: rounds * rows, ...totals }, violations };
}
