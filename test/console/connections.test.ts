import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { platformWebhooks } from "../../console/src/connections/platform-webhooks.ts";
import { readFields } from "../../src/channels/cloud/payload.ts";
import { knowSender } from "../administration/sender-platforms.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, type World } from "../support/world.ts";
import { Receiver } from "../webhooks/support.ts";
import { axeViolations, flaws } from "./axe.ts";
import { setStage } from "./stage.ts";

const [admin, newOwner, ownerOfAll] = [101, 301, 401];

const owner = { id: newOwner, name: "Olga Dueña", email: "olga@b3.test", roleId: 1, available: false };
const empty = aBusiness(3, { users: [owner], templates: [], threads: [] });

const numberStates = ["CONNECTED", "connecting", "close", "FLAGGED", null];
const templateStates = ["APPROVED", "PENDING", "REJECTED", "PAUSED", null];
/** A business with a number and a template for each state that the console marks differently. */
const varied = aBusiness(4, {
  templates: templateStates.map((_, index) => aTemplate(401 + index)),
  otherSenders: numberStates.map((_, index) => ({
    ...{
      channel: "qr",
      platformId: `fono-${index}`,
      accountId: "",
      phone: `5914000000${index}`,
      token: `fono-${index}`,
    },
  })),
});

/** Sets the states of the numbers and templates of `varied`, and adds a webhook with a delivery in each state. */
async function varyStates({ rows }: World): Promise<void> {
  for (const [index, state] of numberStates.entries()) {
    const quality = state === "FLAGGED" ? "RED" : "GREEN";
    await rows("update senders set state = $2, quality = $3 where platform_id = $1", [`fono-${index}`, state, quality]);
  }
  for (const [index, status] of templateStates.entries()) {
    const reason = status === "REJECTED" ? "INVALID_FORMAT" : null;
    const values = [401 + index, status, reason];
    await rows("update templates set platform_status = $2, platform_reason = $3 where id = $1", values);
  }
  await rows(
    `with hook as (
       insert into webhooks (business_id, id, url, events, secret, disabled)
       values (4, 401, 'https://crm.example.com/recado', '{message.new}', '', true)
     ),
     event as (
       insert into webhook_events (business_id, number, name, type, payload, at)
       select 4, number, 'message:new', 'message.new', '{}', now() from generate_series(1, 3) as number
     )
     insert into webhook_deliveries (business_id, webhook_id, number, subject, state, attempts, status, answer)
     values (4, 401, 1, '', 'delivered', 1, 200, ''), (4, 401, 2, '', 'failed', 10, 500, 'base de datos llena'),
            (4, 401, 3, '', 'waiting', 0, null, null)`,
  );
}

describe("the console's pages of connections", () => {
  const stage = setStage({
    businesses: [aBusiness(1), aBusiness(2), empty, varied],
    environment: { ALLOW_PRIVATE_WEBHOOK_URLS: "true" },
    fill: async (world) => {
      await world.rows("delete from senders where business_id = 3");
      await varyStates(world);
    },
  });
  let receiver: Receiver;
  before(async () => {
    receiver = await Receiver.start();
  });
  after(() => receiver?.close());

  const seat = (view: string, user = admin) => stage.seat(user, view);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

  it("pair a phone by a QR code, and show when it is connected", async () => {
    const phone = { provider: "qr", platform_id: "tienda", phone: "59171111111", token: "secreto", account_id: "" };
    await knowSender(stage.world, phone);
    const page = await seat("settings/numbers");
    await button(page, "Agregar número").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Canal").click();
    await page.getByRole("option", { name: "Teléfono con código QR" }).click();
    await form.getByLabel("Nombre", { exact: true }).fill("Tienda");
    await form.getByLabel("Número de teléfono").fill(phone.phone);
    await form.getByLabel("Nombre de la instancia").fill(phone.platform_id);
    await form.getByLabel("Token de acceso").fill("otro");
    await button(page, "Guardar").click();
    await form.getByText("La plataforma no acepta este token").waitFor();
    await form.getByLabel("Token de acceso").fill(phone.token);
    await button(page, "Guardar").click();
    await page.getByRole("img", { name: "Código QR para vincular Tienda" }).waitFor();
    await stage.world.control("POST", "/qr/tienda/scan");
    await page.getByText("Teléfono conectado.").waitFor();
    await page.keyboard.press("Escape");
    await rowOf(page, "Tienda").getByText("Conectado", { exact: true }).waitFor();
  });

  it("show which address and fields each channel's webhook has at the platform, as in the documentation", async () => {
    const page = await seat("settings/numbers");
    await button(page, "Conectar la plataforma").click();
    const documented = await readFile("docs/channels.md", "utf8");
    for (const { path, fields } of Object.values(platformWebhooks)) {
      await page.getByText(`${stage.world.api}${path}`, { exact: true }).waitFor();
      await page.getByText(`Campos: ${fields.join(", ")}`, { exact: true }).waitFor();
      expect(documented).to.include(`| \`${path}\` | ${fields.map((field) => `\`${field}\``).join(", ")} |`);
    }
    expect(platformWebhooks["platform-apicloud"].fields).to.deep.equal(readFields);
  });

  it("let an App Key expire at the end of a day in the business's time zone, not the browser's", async () => {
    const page = await stage.visitor("", { timezoneId: "Asia/Tokyo" });
    const token = await stage.world.sessionToken(admin);
    await page.context().addCookies([{ name: "recado_session", value: token, url: stage.world.api }]);
    await page.goto(`${stage.world.api}/console/settings/app-keys`);
    await button(page, "Nueva App Key").click();
    await page.getByRole("dialog").getByRole("textbox").first().fill("Hasta fin de año");
    await page.getByLabel("Vence el").fill("31/12/2099");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").locator("code").waitFor();
    const [key] = await stage.world.rows<{ expires_at: Date }>(
      "select expires_at from app_keys where label = 'Hasta fin de año'",
    );
    expect(key?.expires_at.toISOString()).to.equal("2100-01-01T03:59:00.000Z");
  });

  it("create an App Key that is shown once, works, and stops working when it is revoked", async () => {
    const page = await seat("settings/app-keys");
    await button(page, "Nueva App Key").click();
    await page.keyboard.type("Tienda en línea");
    await page.keyboard.press("Enter");
    const key = (await page.getByRole("dialog").locator("code").innerText()).trim();
    const status = async () => (await request(`${stage.world.api}/contacts`, { headers: { "x-api-key": key } })).status;
    expect(await status()).to.equal(200);
    // The URL contains the key's id. After a reload, the dialog still shows the key's name, but no longer the key.
    expect(new URL(page.url()).search).to.match(/^\?key=\d+$/);
    await page.reload();
    await page.getByRole("dialog").getByText("se mostró una sola vez").waitFor();
    await page.getByRole("dialog").getByText("Tienda en línea").waitFor();
    expect(await page.getByText(key).count()).to.equal(0);
    await page.getByRole("dialog").getByRole("button", { name: "Cerrar", exact: true }).last().click();
    await button(page, "Revocar: Tienda en línea").click();
    await button(page, "Revocar").click();
    await rowOf(page, "Tienda en línea").waitFor({ state: "detached" });
    expect(await status()).to.equal(401);
  });

  it("test a webhook, show its answer, and repeat a delivery", async () => {
    const { json } = await request(`${stage.world.api}/admin/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${await stage.world.sessionToken(admin)}` },
      body: { url: receiver.url, events: ["message.new"] },
    });
    expect(json.url).to.equal(receiver.url);
    receiver.refuses(500, "base de datos llena");
    const page = await seat("settings/webhooks");
    await page.getByRole("link", { name: receiver.url }).click();
    await button(page, "Enviar prueba").click();
    const row = rowOf(page, "Prueba");
    await row.getByText("Respuesta 500").waitFor();
    await row.getByRole("button", { name: "Ver detalle" }).click();
    await row.getByRole("region", { name: "Lo que se envió" }).getByText('"type": "webhook.test"').waitFor();
    await row.getByRole("region", { name: "Respuesta del receptor" }).getByText("base de datos llena").waitFor();
    receiver.takes();
    await row.getByText("Entregado").waitFor({ timeout: 20_000 });
    const before = receiver.received.length;
    await row.getByRole("button", { name: "Entregar de nuevo" }).click();
    await receiver.gets(before + 1);
  });

  it("keep what a colleague changed meanwhile in a number and a webhook", async () => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    const ask = (method: string, path: string, body?: object) =>
      request(`${stage.world.api}/admin/${path}`, { method, headers, ...(body && { body }) });
    const number = { provider: "qr", platform_id: "dos", phone: "59172222222", token: "dos", account_id: "" };
    await knowSender(stage.world, number);
    const sender = (await ask("POST", "senders", { ...number, name: "Dos" })).json;
    const page = await seat(`settings/numbers?sender=${sender.id}`);
    const form = page.getByRole("dialog");
    await form.getByLabel("Mensajes por segundo").fill("7");
    expect((await ask("PUT", `senders/${sender.id}`, { ...number, name: "Dos y medio" })).status).to.equal(200);
    await button(page, "Guardar").click();
    await form.getByText("Alguien más guardó cambios").waitFor();
    expect(await form.getByLabel("Nombre", { exact: true }).inputValue()).to.equal("Dos y medio");
    await button(page, "Guardar").click();
    await form.waitFor({ state: "detached" });
    expect((await ask("GET", `senders/${sender.id}`)).json).to.include({ name: "Dos y medio", messages_per_second: 7 });

    const hook = (await ask("POST", "webhooks", { url: "https://one.example.com/", events: ["message.new"] })).json;
    await page.goto(`${stage.world.api}/console/settings/webhooks/${hook.id}`);
    await page.getByRole("heading", { name: "https://one.example.com/" }).waitFor();
    const other = { url: "https://two.example.com/", events: ["order.changed"] };
    expect((await ask("PUT", `webhooks/${hook.id}`, other)).status).to.equal(200);
    await button(page, "Deshabilitar").click();
    await page.getByRole("heading", { name: other.url }).waitFor();
    expect((await ask("GET", `webhooks/${hook.id}`)).json).to.deep.include({ ...other, disabled: true });
  });

  it("let the user type another rate of a number", async () => {
    const page = await seat("settings/numbers?sender=new");
    const rate = page.getByLabel("Mensajes por segundo");
    await rate.focus();
    await page.keyboard.press("End");
    for (const key of ["Backspace", "Backspace", "2", "0"]) await page.keyboard.press(key);
    expect(await rate.inputValue()).to.equal("20");
  });

  it("tell in the user's words why a delivery got no answer, even if an earlier attempt had one", async () => {
    const reasons = {
      disabled: "El webhook estaba desactivado",
      "no answer within 15000 ms": "No hubo respuesta en 15 s.",
      "address not allowed: it is in a private network": "La dirección lleva a una red privada",
      "connection failed: ECONNREFUSED": "No se pudo conectar: ECONNREFUSED",
      "answer broke off": "La conexión se cortó",
    };
    const { rows } = stage.world;
    await rows(
      `with hook as (
         insert into webhooks (business_id, id, url, events, secret, disabled)
         values (1, 901, 'https://crm.example.com/silent', '{message.new}', '', true)
       ),
       event as (
         insert into webhook_events (business_id, number, name, type, payload, at)
         select 1, 9000 + number, 'message:new', 'message.new', '{}', now() from generate_series(1, $2) as number
       )
       insert into webhook_deliveries (business_id, webhook_id, number, subject, state, attempts, status, answer, error)
       select 1, 901, 9000 + number, '', 'failed', 2, 500, 'base de datos llena', error
       from unnest($1::text[]) with ordinality as told (error, number)`,
      [Object.keys(reasons), Object.keys(reasons).length],
    );
    const page = await seat("settings/webhooks");
    await page.getByRole("link", { name: "https://crm.example.com/silent" }).click();
    const details = page.getByRole("button", { name: "Ver detalle" });
    await details.first().waitFor();
    for (const each of await details.all()) await each.click();
    for (const words of Object.values(reasons)) await page.getByText(words).waitFor();
    expect(await page.getByText("base de datos llena").count()).to.equal(0);
    await rows("delete from webhooks where id = 901");
    await rows("delete from webhook_events where number > 9000");
  });

  it("show the secret of a new webhook once", async () => {
    const page = await seat("settings/webhooks");
    await button(page, "Nuevo webhook").click();
    await page.getByLabel("Dirección (https)").fill("no es una dirección");
    await button(page, "Guardar").click();
    await page.locator("input[aria-invalid=true]").waitFor();
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.getByLabel("Dirección (https)").fill("https://crm.example.com/recado");
    await button(page, "Guardar").click();
    await page.getByText(/^whsec_/).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "https://crm.example.com/recado" }).waitFor();
    expect(new URL(page.url()).pathname).to.match(/webhooks\/\d+$/);
    expect(await page.getByText(/whsec_/).count()).to.equal(0);
  });

  it("have a URL for each form, which a reload opens again and going back closes", async () => {
    const page = await seat("settings", ownerOfAll);
    const forms = [
      ["numbers", "Agregar número"],
      ["app-keys", "Nueva App Key"],
      ["webhooks", "Nuevo webhook"],
    ] as const;
    for (const [place, name] of forms) {
      await page.goto(`${stage.world.api}/console/settings/${place}`);
      await button(page, name).click();
      const form = page.getByRole("dialog", { name });
      await form.waitFor();
      await page.reload();
      await form.waitFor();
      await page.goBack();
      await form.waitFor({ state: "detached" });
      await button(page, name).waitFor();
    }
    await page.goto(`${stage.world.api}/console/settings/numbers`);
    await button(page, "Editar: +59140000002").click();
    await page.reload();
    const form = page.getByRole("dialog", { name: "Editar" });
    await eventually(async () => (await form.getByLabel("Número de teléfono").inputValue()) === "59140000002");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await page.goto(`${stage.world.api}/console/settings/numbers?sender=999999`);
    await form.getByRole("alert").waitFor();
  });

  it("guide the owner of an empty business: the guide ticks finished steps and can be dismissed", async () => {
    const page = await seat("inbox", newOwner);
    const step = (name: string) => rowOf(page, name);
    await step("Conecta un número").waitFor();
    expect(await page.getByText("hecho").count()).to.equal(0);
    const body = {
      provider: "platform-apicloud",
      platform_id: "n-3",
      account_id: "c-3",
      phone: "59173333333",
      token: "t-3",
    };
    await knowSender(stage.world, body);
    await page.getByRole("link", { name: /Conecta un número/ }).click();
    await button(page, "Agregar número").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Número de teléfono").fill(body.phone);
    await form.getByLabel("Id del número").fill(body.platform_id);
    await form.getByLabel("WhatsApp Business Account ID").fill(body.account_id);
    await form.getByLabel("Token de acceso").fill(body.token);
    await button(page, "Guardar").click();
    await rowOf(page, "+59173333333").getByText("Listo").waitFor();
    await page.getByRole("link", { name: "Bandeja" }).click();
    await step("Conecta un número").getByText("hecho").waitFor();
    await button(page, "Ocultar la guía").click();
    await page.getByText("Elige un chat").waitFor();
    await page.reload();
    await page.getByText("Elige un chat").waitFor();
  });

  it("pass axe and fit every width, light and dark", async () => {
    const page = await seat("settings", ownerOfAll);
    for (const [view, shown] of [
      ["settings", "Números"],
      ["settings/templates", "Motivo: INVALID_FORMAT"],
      ["settings/templates/new", "Cuerpo"],
      ["settings/templates/401", "Cuerpo"],
      ["settings/numbers", "Conectando"],
      ["settings/app-keys", "test"],
      ["settings/webhooks", "https://crm.example.com/recado"],
      ["settings/webhooks/401", "Respuesta 500"],
    ] as const) {
      await page.goto(`${stage.world.api}/console/${view}`);
      await page.getByText(shown).first().waitFor();
      expect(await flaws(page, view)).to.deep.equal([]);
    }
  });
});
