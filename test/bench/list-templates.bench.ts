import { oneCell } from "../../src/infra/postgres/cells.ts";
import { PostgresTemplateCatalog } from "../../src/messaging/adapters/postgres/templates/template-catalog.ts";
import { request } from "../support/http.ts";
import { aBusiness, aTemplate } from "../support/world.ts";
import { type BareHandler, statementsOf } from "./bare.ts";
import type { Bench } from "./bench.ts";
import { belowAim, contest, contestTable } from "./contest.ts";

const businessId = 1;
const userId = 101;
const aim = 0.6;
const business = aBusiness(businessId, { templates: Array.from({ length: 30 }, (_, n) => aTemplate(101 + n)) });
const body = JSON.stringify({ empresa_id: businessId, usuario_id: userId });
const path = "/chats/obtener/mensaje/plantilla";

/** §1 List templates: 30 stored templates, which the platform has too. */
const bench: Bench = {
  about: "POST /chats/obtener/mensaje/plantilla against the same statement and the same platform call",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [business] });
    const tokens = { [businessId]: business.sender.token };
    const { service, bare, stop } = await stage.contestants("list-templates", { tokens });
    const headers = { "x-api-key": stage.appKey(businessId) };
    const first = await request(service.url + path, { method: "POST", headers, rawBody: body });
    const isWhole = first.status === 200 && first.json.plantillas.length === 30;

    arena.say("listing 30 templates");
    const result = await contest({
      name: "list templates",
      service,
      bare,
      next: () => ({ path, headers, body }),
      // Both servers must always send the same bytes as the service's first answer.
      isRight: (status, text) => status === 200 && text === first.text,
    });
    await stop();
    return {
      tables: [contestTable("List 30 templates (endpoint 1), 16 connections", { "30 templates": result })],
      figures: { "30 templates": result },
      failures: [...(isWhole ? [] : [`the listing is wrong: ${first.text.slice(0, 300)}`]), ...result.failures],
      belowAim: belowAim("list templates", result, aim),
    };
  },
};
export default bench;

interface ListedRow {
  readonly sender_account_id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly [column: string]: unknown;
}

export const bare: BareHandler = async ({ query, platform }) => {
  const [listing] = await statementsOf((queries) =>
    new PostgresTemplateCatalog(oneCell(queries), { open: () => "", seal: () => Buffer.alloc(0) }).listing(
      businessId,
      userId,
    ),
  );
  if (!listing) throw new Error("the adapter runs another statement than expected");
  return async (text) => {
    const { empresa_id: business, usuario_id: user } = JSON.parse(text);
    const rows = await query<ListedRow>(listing, [business, user]);
    const account = rows[0]?.sender_account_id;
    const page = await platform(
      business,
      "GET",
      `/v23.0/${account}/message_templates?fields=name%2Clanguage%2Cstatus&limit=250`,
    );
    const states = new Map(JSON.parse(page).data.map((each: PlatformTemplate) => [each.name, each.status]));
    return JSON.stringify({ plantillas: rows.map((row) => toWire(row, states.get(row.platformName))) });
  };
};

interface PlatformTemplate {
  readonly name: string;
  readonly status: string;
}

const toWire = (row: ListedRow, state: unknown) => ({
  id: row.id,
  nombre: row.name,
  id_plantilla: row.platformName,
  descripcion: row.body,
  template: row.structure,
  botones: row.buttons,
  codigo: row.code,
  archivo_nombre: row.fileName,
  type: row.headerType,
  tipo: row.provider,
  agentes_permitidos: row.allowedAgents,
  contacto_variables: row.contactVariables,
  articles: row.articles,
  empresa_id: row.businessId,
  id_providerb: row.providerBId,
  version: row.version,
  visible: true,
  deleted_at: null,
  created_by_ai: row.createdByAi,
  state,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
