import { dayMs } from "../kernel/instants.ts";
import { demoPassword } from "./data.ts";
import type { DemoDescription } from "./description.ts";

export function printWelcome(demo: DemoDescription, metricsKey: string): void {
  const { api, sandbox, business, agent } = demo;
  const json = `-H 'content-type: application/json'`;
  console.log(`
Open ${demo.console}
and sign in as ${demo.agent.email} or ${demo.admin.email}, password ${demoPassword}

Recado answers on ${api}
  docs       ${api}/docs
  health     ${api}/livez  ${api}/readyz
  metrics    curl -H 'authorization: Bearer ${metricsKey}' ${api}/metrics
  database   ${demo.databaseUrl}
  sandbox    ${sandbox ?? "none: MESSAGING_PLATFORM_URL is set"}

Business ${business.id}, App Key ${business.appKey}
Agent ${agent.id}, session token ${agent.sessionToken}
(all keys, tokens and ids: .run/demo.json; every user's password: ${demoPassword},
the administrator's e-mail: ${demo.admin.email})

Try:
  curl ${api}/chats/obtener/mensaje/plantilla -H 'x-api-key: ${business.appKey}' ${json} \\
    -d '{"empresa_id": ${business.id}, "usuario_id": ${agent.id}}'

  curl ${api}/chats/enviar/plantilla/business -H 'x-api-key: ${business.appKey}' ${json} \\
    -d '{"empresa_id": ${business.id}, "phone_number": "+591 700-12345", "plantilla_id": 1, "parameters": ["Ana", "1024"]}'
${
  sandbox === null
    ? ""
    : `
  curl '${sandbox}/__sandbox/messages?to=59170012345'

  curl ${sandbox}/__sandbox/customers/59170012345/say ${json} -d '{"text": "¿Ya puedo pasar?", "to": "10001"}'
`
}
Watch an order change, in one terminal:
  make watch

and edit it, in another:
  curl -X PUT ${api}/catalogs/order/update -H 'x-api-key: ${business.appKey}' ${json} \\
    -d '{"orderId": ${demo.orders.whatsapp}, "shipmentMethod": "pickup", "paymentMethod": "qr", "sucursalId": 1, "location_picked": "Oficina", "raw_adress": "Av. Arce 2799", "paid": false}'

  curl ${api}/catalogs/orders/products/new -H 'x-api-key: ${business.appKey}' ${json} \\
    -d '{"orderId": ${demo.orders.whatsapp}, "articleId": ${demo.article.id}, "quantity": 2, "extras": []}'

  curl ${api}/catalogs/order/${demo.orders.whatsapp} -H 'x-api-key: ${business.appKey}'

What the group sold, to read in a browser:
  ${api}/reports/${business.id}.html?startDate=${day(30)}&endDate=${day(0)}&token=${demo.admin.sessionToken}

Ctrl-C stops everything.`);
}

const day = (ago: number): string => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
