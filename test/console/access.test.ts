import { expect } from "chai";
import type { Page } from "playwright-core";
import { Passwords } from "../../src/infra/crypto/passwords.ts";
import { axeViolations, flaws } from "./axe.ts";
import { setStage } from "./stage.ts";

const password = "contraseña larga";
const [admin, agent] = [101, 102];

describe("the console", () => {
  const stage = setStage({
    fill: async ({ rows }) => {
      await rows("update credentials set password_hash = $1", [await new Passwords().hash(password)]);
    },
  });

  const signIn = async (page: Page, given: string): Promise<void> => {
    await page.getByLabel("Correo").fill("agent@b1.test");
    await page.getByLabel("Contraseña").fill(given);
    await page.getByRole("button", { name: "Entrar" }).click();
  };

  it("lets a user sign in by keyboard with e-mail and password, and then shows the requested page", async () => {
    const page = await stage.visitor("inbox/101");
    await page.getByLabel("Correo").waitFor();
    await page.keyboard.type("agent@b1.test");
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await page.getByRole("log", { name: "Mensajes" }).waitFor();
    expect(new URL(page.url()).pathname).to.equal("/console/inbox/101");
    const scripts = await page.evaluate<string>("document.cookie + JSON.stringify({ ...localStorage })");
    expect(scripts).to.not.include("rs_");
  });

  it("explains why a sign-in failed", async () => {
    const page = await stage.visitor();
    await page.getByRole("button", { name: "Entrar" }).click();
    await page.getByText("Escribe tu contraseña.").waitFor();
    await page.locator("input[name=email]:focus").waitFor();
    expect(await axeViolations(page)).to.deep.equal([]);
    await signIn(page, "otra");
    await page.getByRole("alert").getByText("El correo o la contraseña no son correctos.").waitFor();
    await page.route("**/auth/session", (route) => route.fulfill({ status: 429, json: { error: "too many" } }));
    await signIn(page, "otra");
    await page.getByRole("alert").getByText("Hubo demasiados intentos.").waitFor();
    await page.unroute("**/auth/session");
    await page.route("**/auth/session", (route) => route.abort());
    await signIn(page, "otra");
    await page.getByRole("alert").getByText("No hay conexión con el servicio.").waitFor();
  });

  it("says that the session stays open if a sign-out fails", async () => {
    const page = await stage.seat(agent);
    const signOut = async (): Promise<void> => {
      await page.getByRole("button", { name: "Cuenta de Ana Agente" }).click();
      await page.getByRole("menuitem", { name: "Salir" }).click();
    };
    for (const status of [null, 503]) {
      await page.route("**/auth/session", (route) =>
        status === null ? route.abort() : route.fulfill({ status, json: {} }),
      );
      await signOut();
      await page.getByText("La sesión sigue abierta").waitFor();
      await page.unroute("**/auth/session");
      await page.reload();
    }
    await signOut();
    await page.getByLabel("Correo").waitFor();
  });

  it("shows links to all pages of the role at every width, without a menu", async () => {
    const all = ["Bandeja", "Pedidos", "Campañas", "Contactos", "Informes", "Ajustes"];
    const forAgents = ["Bandeja", "Pedidos", "Contactos", "Informes"];
    for (const [who, names] of [
      [admin, all],
      [agent, forAgents],
    ] as const) {
      const page = await stage.seat(who);
      const links = page.getByRole("navigation", { name: "Principal" }).getByRole("link");
      await links.first().waitFor();
      for (const width of [1440, 768, 360]) {
        await page.setViewportSize({ width, height: 740 });
        expect(await links.allInnerTexts()).to.deep.equal(names);
        for (const link of await links.all()) {
          const box = await link.boundingBox();
          expect(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 740).to.equal(true);
        }
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, `at ${width}`).to.be.at.most(0);
      }
    }
  });

  it("shows the labels of the navigation complete and without overlaps, in each language on each phone", async () => {
    const page = await stage.seat(admin);
    const labels = page.getByRole("navigation").first().locator("a > span");
    for (const language of ["es", "en", "pt"]) {
      await page.evaluate(`localStorage.setItem("recado.language", "${language}")`);
      await page.reload();
      await labels.first().waitFor();
      for (const width of [320, 360, 400]) {
        await page.setViewportSize({ width, height: 740 });
        const boxes = await labels.evaluateAll((spans) =>
          spans.map((span) => {
            const { left, right } = span.getBoundingClientRect();
            return { left, right, isCut: span.scrollWidth > span.clientWidth };
          }),
        );
        for (const [at, { left, right, isCut }] of boxes.entries()) {
          const place = `${language} at ${width}: label ${at + 1}`;
          expect(isCut, place).to.equal(false);
          expect(left, place).to.be.at.least(boxes[at - 1]?.right ?? 0);
          expect(right, place).to.be.at.most(width);
        }
      }
    }
  });

  it("speaks Spanish, switches to English or Portuguese at a click, and keeps the language after a reload", async () => {
    const page = await stage.visitor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.getByRole("button", { name: "Português" }).click();
    await page.getByLabel("Senha").waitFor();
    await page.reload();
    await page.getByLabel("Senha").waitFor();
    expect(await page.evaluate<string>("document.documentElement.lang")).to.equal("pt");
  });

  it("sends no request to another host", async () => {
    const page = await stage.visitor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await signIn(page, password);
    await page.getByRole("list", { name: "Chats" }).waitFor();
    expect([...new Set(asked)]).to.deep.equal([stage.world.api]);
  });

  it("loads at most 300 kB of JavaScript before it shows the inbox", async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() === "script") sizes.push(request.sizes().then((size) => size.responseBodySize));
    });
    await page.goto(`${stage.world.api}/console/`);
    await signIn(page, password);
    await page.getByRole("list", { name: "Chats" }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).to.be.greaterThan(10_000);
    expect(bytes).to.be.at.most(300_000);
    await context.close();
  });

  it("passes axe and fits every width, light and dark", async () => {
    for (const view of ["", "inbox", "inbox/101", "contacts", "orders"]) {
      const page = view === "" ? await stage.visitor() : await stage.seat(admin, view);
      await page.getByRole("heading").first().waitFor();
      if (view.startsWith("inbox")) await page.getByText("Hola").first().waitFor();
      expect(await flaws(page, view, [1440, 360])).to.deep.equal([]);
    }
  });
});
