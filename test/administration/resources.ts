import type { World } from "../support/world.ts";
import { stepSample, templateSample } from "./flow-resources.ts";
import type { Ids, Sample } from "./sample.ts";
import { knowSender, senderBodies } from "./sender-platforms.ts";

export type { Ids, Sample } from "./sample.ts";

/** Creates records of a business to which other records can refer. */
export async function makeIds(world: World, businessId = 1): Promise<Ids> {
  const made = async (text: string) => (await world.rows<{ id: number }>(`${text} returning id`))[0]?.id ?? 0;
  return {
    branch: await made(`insert into branches (business_id, name) values (${businessId}, 'Centro')`),
    article: await made(`insert into articles (business_id, name, price) values (${businessId}, 'Pan', 1)`),
    tag: await made(`insert into tags (business_id, name) values (${businessId}, 'VIP')`),
    agents: [businessId * 100 + 2],
    department: businessId * 100 + 1,
    step: businessId * 100 + 1,
  };
}

export const samples: readonly Sample[] = [
  {
    path: "tags",
    body: (n) => ({ nombre: `Etiqueta ${n}` }),
    matchedBy: ["nombre"],
    wrong: [
      ["nombre", undefined],
      ["nombre", "  "],
      ["nombre", 5],
      ["nombre", "x".repeat(201)],
    ],
    unique: "nombre",
    uses: [
      { sql: "insert into chat_tags (business_id, chat_id, tag_id) values ($1, 101, $2)", called: "chats" },
      { sql: "insert into contact_tags (business_id, contact_id, tag_id) values ($1, 101, $2)", called: "contactos" },
    ],
  },
  {
    path: "zones",
    body: (n, { branch }) => ({ nombre: `Zona ${n}`, precio: `${n}.50`, sucursal_id: branch }),
    matchedBy: ["nombre", "sucursal_id"],
    wrong: [
      ["nombre", undefined],
      ["precio", undefined],
      ["precio", "1,5"],
      ["precio", -1],
      ["precio", 0.125],
    ],
    references: ["sucursal_id"],
    uses: [{ sql: "insert into orders (business_id, type, zone_id) values ($1, 'wa', $2)", called: "pedidos" }],
  },
  {
    path: "branches",
    body: (n) => ({ nombre: `Sucursal ${n}` }),
    wrong: [["nombre", ""]],
    uses: [
      { sql: "insert into orders (business_id, type, branch_id) values ($1, 'wa', $2)", called: "pedidos" },
      { sql: "insert into user_branches (business_id, user_id, branch_id) values ($1, 102, $2)", called: "usuarios" },
      { sql: "insert into zones (business_id, name, price, branch_id) values ($1, 'Norte', 5, $2)", called: "zonas" },
    ],
  },
  {
    path: "drivers",
    body: (n) => ({ nombre: `Repartidor ${n}`, telefono: `7000${n}`, tracking_id: `t-${n}` }),
    wrong: [
      ["nombre", null],
      ["telefono", 7],
    ],
    uses: [{ sql: "insert into orders (business_id, type, driver_id) values ($1, 'wa', $2)", called: "pedidos" }],
  },
  {
    path: "articles",
    body: (n) => ({ name: `Torta ${n}`, price: `${n}.25`, retailer_id: `sku-${n}`, type: "item" }),
    matchedBy: ["retailer_id"],
    wrong: [
      ["name", undefined],
      ["price", undefined],
      ["price", "caro"],
    ],
    unique: "retailer_id",
    archives: true,
  },
  {
    path: "extras",
    body: (n, { article }) => ({ name: `Queso ${n}`, charge: `${n}.00`, articulos: [article] }),
    matchedBy: ["name"],
    uses: [
      {
        sql: `with own as (insert into orders (business_id, type) values ($1, 'wa') returning id),
                line as (insert into order_lines (business_id, order_id, article_id, type)
                         select $1, own.id, (select min(id) from articles where business_id = $1), 'item' from own
                         returning id)
              insert into line_extras (business_id, line_id, extra_id) select $1, id, $2 from line`,
        called: "pedidos",
      },
    ],
    wrong: [
      ["charge", "-1"],
      ["articulos", ["1"]],
    ],
    references: ["articulos"],
  },
  {
    path: "quick-replies",
    body: (n) => ({
      nombre: `saludo-${n}`,
      texto: `Hola {{contacto.nombre}} ${n}`,
      media_url: `https://cdn.test/${n}.png`,
    }),
    matchedBy: ["nombre"],
    wrong: [
      ["texto", undefined],
      ["media_url", "javascript:alert(1)"],
    ],
    unique: "nombre",
  },
  {
    path: "departments",
    body: (n, { agents }) => ({
      nombre: `Departamento ${n}`,
      horario: { mon: [["09:00", "18:00"]], sat: [] },
      mensaje_fuera_de_horario: `Volvemos a las ${n}`,
      agentes: agents,
    }),
    wrong: [
      ["nombre", undefined],
      ["horario", { lunes: [] }],
      ["horario", { mon: [["9", "18:00"]] }],
      ["agentes", 5],
    ],
    references: ["agentes"],
    frees: { agentes: [] },
    uses: [
      {
        sql: `insert into steps (business_id, name, identifier, type, department_id)
              values ($1, 'Paso', 'p-' || $2::bigint, 'ticket', $2::bigint)`,
        called: "pasos",
      },
      { sql: "update chats set department_id = $2 where business_id = $1 and id = 101", called: "chats" },
    ],
  },
  {
    path: "users",
    body: (n, { branch, department }) => ({
      nombre: `Usuaria ${n}`,
      email: `usuaria-${n}@b1.test`,
      role_id: n % 2 === 0 ? 5 : 7,
      departamentos: [department],
      sucursales: [branch],
      activo: n % 3 > 0,
    }),
    wrong: [
      ["nombre", undefined],
      ["email", undefined],
      ["email", "ana"],
      ["email", "ana maria@b1.test"],
      ["role_id", undefined],
      ["role_id", 0],
      ["role_id", "uno"],
      ["activo", "quizás"],
    ],
    references: ["departamentos", "sucursales"],
    matchedBy: ["email"],
    unique: "email",
    archives: true,
    once: ["invitation"],
  },
  ...Object.entries(senderBodies).map(
    ([provider, bodyOf]): Sample => ({
      path: "senders",
      kind: provider,
      prepare: knowSender,
      body: (n) => ({ provider, ...bodyOf(n) }),
      wrong: [
        ["provider", "fax"],
        ["provider", undefined],
        ["platform_id", ""],
        ["phone", "sin número"],
        ["messages_per_second", 0],
        ["token", 7],
        ...(provider === "platform-apicloud" ? ([["account_id", ""]] as const) : []),
      ],
      unique: "platform_id",
      uniqueWith: ["account_id", "phone", "token"],
      hidden: ["token"],
      uses: [
        {
          sql: `insert into campaigns (business_id, sender_id, user_id, template_id, step_id, name, tags, template, state,
                pause_reason, timezone, total)
                values ($1, $2, 101, 101, 101, 'Ofertas', '{}', '{}', 'paused', 'pausada', 'UTC', 0)`,
          called: "campañas",
        },
      ],
    }),
  ),
  {
    path: "app-keys",
    body: (n) => ({ label: `crm ${n}`, scopes: ["read", "orders"], expires_at: "2099-01-02T03:04:05.000Z" }),
    wrong: [
      ["label", ""],
      ["scopes", ["everything"]],
      ["expires_at", "2020-01-01T00:00:00Z"],
      ["expires_at", "soon"],
    ],
    archives: true,
    once: ["key"],
  },
  stepSample,
  templateSample,
  {
    path: "webhooks",
    body: (n) => ({
      url: `https://crm.example.com/recado/${n}`,
      events: ["message.new", "order.changed"],
      description: `El CRM ${n}`,
      disabled: true,
    }),
    wrong: [
      ["url", undefined],
      ["url", "http://crm.example.com/"],
      ["url", "ftp://crm.example.com/"],
      ["url", "https://ana:secreto@crm.example.com/"],
      ["url", "https://127.0.0.1/"],
      ["url", "https://[::1]/"],
      ["url", "https://localhost/"],
      ["events", undefined],
      ["events", []],
      ["events", ["everything"]],
      ["disabled", "yes"],
    ],
    once: ["secret"],
  },
];
