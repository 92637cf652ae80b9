import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { cuttableProxy } from "./browser.ts";
import { ana, composer, sendButton, setThreadStage, thread } from "./thread-bench.ts";

const threads = [105, 106, 107, 108].map((id) => aThread(id, { name: `Cliente ${id}`, state: "pending" }));

describe("the console's outbox", () => {
  const { stage, seat, says, received } = setThreadStage(threads);
  const outboxIsEmpty = async (page: Page): Promise<boolean> =>
    !(await page.evaluate<string>("Object.keys(localStorage).join()")).includes("outbox");

  describe("a message", () => {
    it("does not wait for a refused one before it, which can be repeated or discarded", async () => {
      await says(105, "Hola");
      const page = await seat(ana, "inbox/105");
      await page.route("**/chats/105/messages", async (route) => {
        const isBad = route.request().postData()?.includes("Uno") ?? false;
        if (isBad)
          await route.fulfill({ status: 400, json: { error: "No se puede enviar esto", code: "send_refused" } });
        else await route.continue();
      });
      for (const text of ["Uno", "Dos"]) {
        await composer(page).fill(text);
        await sendButton(page).click();
      }
      await eventually(async () => (await received(105, "Dos")) === 1);
      await thread(page).getByText("No se envió: No se puede enviar esto").waitFor();
      await page.unroute("**/chats/105/messages");
      await page.reload();
      await thread(page).getByText("No se envió: No se puede enviar esto").waitFor();
      await page.getByRole("button", { name: "Reintentar" }).click();
      await eventually(async () => (await received(105, "Uno")) === 1);
      await eventually(() => outboxIsEmpty(page));
    });

    it("is repeated with a new key after a refusal, which the service would repeat for the old one", async () => {
      await says(105, "Hola");
      const page = await seat(ana, "inbox/105");
      const keys: (string | undefined)[] = [];
      await page.route("**/chats/105/messages", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 1) return route.continue();
        return route.fulfill({ status: 409, json: { error: "Se alcanzó el límite", code: "limit_reached" } });
      });
      await composer(page).fill("Ahora sí");
      await sendButton(page).click();
      await thread(page).getByText("No se envió: Se alcanzó el límite").waitFor();
      await page.getByRole("button", { name: "Reintentar" }).click();
      await eventually(async () => (await received(105, "Ahora sí")) === 1);
      await eventually(() => outboxIsEmpty(page));
      expect(keys).to.have.length(2);
      expect(keys[1]).not.to.equal(keys[0]);
    });

    it("is sent after one at which the service keeps failing", async () => {
      await says(106, "Hola");
      const page = await seat(ana, "inbox/106");
      await page.clock.install();
      await page.route("**/chats/106/messages", async (route) => {
        const isBad = route.request().postData()?.includes("Atascado") ?? false;
        if (isBad) await route.fulfill({ status: 500, json: { error: "fallo inesperado", code: "unexpected" } });
        else await route.continue();
      });
      for (const text of ["Atascado", "El siguiente"]) {
        await composer(page).fill(text);
        await sendButton(page).click();
      }
      await eventually(async () => {
        await page.clock.runFor(10_000);
        return (await received(106, "El siguiente")) === 1;
      });
      await thread(page).getByText("El servicio no pudo enviarlo.").waitFor();
      await page.getByRole("button", { name: "Descartar" }).click();
      expect(await thread(page).getByText("Atascado").count()).to.equal(0);
    });

    it("is sent once if the page is reloaded meanwhile, and if the user has two pages open", async () => {
      await says(107, "Hola");
      const page = await seat(ana, "inbox/107");
      const other = await page.context().newPage();
      await other.goto(`${stage.world.api}/console/inbox/107`);
      await composer(other).waitFor();
      let asked = 0;
      // Either page may send the message.
      await page.context().route("**/chats/107/messages", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        asked += 1;
        // The request reaches the service, but the page gets no answer.
        await route.fetch();
      });
      await composer(page).fill("Solo una vez");
      await sendButton(page).click();
      await eventually(() => asked === 1);
      await page.context().unroute("**/chats/107/messages");
      await Promise.all([page.reload(), other.reload()]);
      await thread(page).getByText("Solo una vez").waitFor();
      await eventually(() => outboxIsEmpty(page), 15_000);
      expect(await received(107, "Solo una vez")).to.equal(1);
      for (const each of [page, other])
        await eventually(async () => (await thread(each).getByText("Solo una vez").count()) === 1);
    });

    it("keeps its place in the order when the connection is cut", async () => {
      const proxy = await cuttableProxy(stage.world.api);
      try {
        await says(108, "Antes");
        const page = await seat(ana, "inbox/108", proxy.url);
        await thread(page).getByText("Antes").waitFor();
        proxy.cut();
        await page.getByText("Sin conexión. Reconectando").waitFor();
        const texts = ["Primero", "Segundo", "Tercero"];
        for (const text of texts) {
          await composer(page).fill(text);
          await page.keyboard.press("Enter");
        }
        proxy.restore();
        await eventually(async () => (await received(108, "Tercero")) === 1, 20_000);
        await eventually(() => outboxIsEmpty(page));
        const said = await thread(page).getByRole("article").allTextContents();
        expect(texts.map((text) => said.findIndex((one) => one.includes(text)))).to.deep.equal([
          said.length - 3,
          said.length - 2,
          said.length - 1,
        ]);
        for (const text of texts) expect(await received(108, text)).to.equal(1);
      } finally {
        await proxy.close();
      }
    });
  });
});
