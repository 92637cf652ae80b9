import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";

export const content = (text = "Hola {{1}}, tu pedido está listo.", category = "UTILITY") => ({
  language: "es",
  category,
  components: [{ type: "BODY", text, example: { body_text: [["Ana"]] } }],
});

/**
 * Business 1 has templates that the service never submitted. The platform does not know one of them, `unheard_of`. The
 * platform also has the template `made_there`, which the business does not have.
 */
const shop = aBusiness(1, {
  templates: [
    aTemplate(101),
    aTemplate(102, { platformName: "unheard_of", listed: [] }),
    aTemplate(103, {
      platformName: "of_all_languages",
      structure: { components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }] },
      listed: ["en", "es"].map((language) => ({
        name: "of_all_languages",
        language,
        status: language === "es" ? "PAUSED" : "APPROVED",
        components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }],
      })),
    }),
    aTemplate(104, {
      listed: [
        { name: "template_104", language: "es", status: "APPROVED", components: [{ type: "BODY", text: "Otro" }] },
        {
          name: "made_there",
          language: "pt_BR",
          status: "PENDING",
          category: "MARKETING",
          components: [
            { type: "HEADER", format: "IMAGE" },
            { type: "BODY", text: "Oi" },
          ],
        },
      ],
    }),
  ],
});

/** Sends requests about templates as an administrator of business 1. Also controls the sandbox platform. */
export class Templates {
  private constructor(
    readonly world: World,
    private readonly token: string,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Templates> {
    const world = await startWorld({ businesses: [shop, aBusiness(2)], environment });
    return new Templates(world, await world.sessionToken(101));
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  ask(method: string, path: string, body?: object, by = this.token): Promise<Answer> {
    return this.administer(method, `/admin/templates${path}`, body, by);
  }

  administer(method: string, path: string, body?: object, by = this.token): Promise<Answer> {
    return request(this.world.api + path, {
      method,
      headers: { authorization: `Bearer ${by}` },
      ...(body && { body }),
    });
  }

  async make(body: object): Promise<Answer["json"]> {
    const made = await this.ask("POST", "", body);
    expect(made.status, made.text).to.equal(201);
    return made.json;
  }

  /** Makes another template with the name `doble`. Older versions of the service allowed equal names. */
  async makeDouble(): Promise<Answer["json"]> {
    const made = await this.make({ nombre: "Doble", id_plantilla: "doble_antiguo", template: content() });
    await this.world.rows("update templates set platform_name = 'doble' where id = $1", [made.id]);
    return made;
  }

  async get(id: number): Promise<Answer["json"]> {
    return (await this.ask("GET", `/${id}`)).json;
  }

  submit(id: number): Promise<Answer> {
    return this.ask("POST", `/${id}/submit`);
  }

  async sync(): Promise<Answer["json"]> {
    const { status, json, text } = await this.ask("POST", "/sync");
    expect(status, text).to.equal(200);
    return json;
  }

  /** The template as §1 shows it. */
  async listed(id: number): Promise<Answer["json"]> {
    const { json } = await this.world.post("/chats/obtener/mensaje/plantilla", { empresa_id: 1, usuario_id: 101 });
    return json.plantillas.find((each: { id: number }) => each.id === id);
  }

  send(id: number, parameters = ["Ana"]): Promise<Answer> {
    return this.world.post("/chats/enviar/mensaje/plantilla/arquitectura", {
      meta_id: "59170000101",
      contacto_id: 101,
      chat_id: 101,
      empresa_id: 1,
      plantilla_id: id,
      parameters,
    });
  }

  /** Sets the outcome of the platform's reviews from now on. */
  review(body: object): Promise<unknown> {
    return this.world.control("POST", "/reviews", { delay_ms: 0, ...body });
  }

  /** Sets a fault for the platform's next answer about templates. */
  fault(body: object): Promise<unknown> {
    return this.world.control("POST", "/faults", { path: "message_templates", ...body });
  }

  becomes(id: number, state: string): Promise<Answer["json"]> {
    return eventually(async () => {
      const template = await this.get(id);
      return template.state === state ? template : undefined;
    });
  }

  /** Makes a template, lets the platform reject it, and then changes its content. */
  async rejectedAndChanged(): Promise<Answer["json"]> {
    await this.review({ outcome: "REJECTED", reason: "INVALID_FORMAT" });
    const { id } = await this.make({ nombre: "Aviso", template: content() });
    await this.submit(id);
    await this.becomes(id, "REJECTED");
    const better = { nombre: "Aviso", template: content("Hola {{1}}, ya puedes recogerlo.") };
    const changed = await this.ask("PUT", `/${id}`, better);
    expect(changed.status, changed.text).to.equal(200);
    return changed.json;
  }

  /** The audit entries of a template, oldest first, as `[state before, state after]`. */
  async audited(id: number): Promise<readonly (readonly [string | undefined, string | undefined])[]> {
    const { json } = await this.administer("GET", `/admin/audit?resource=templates&record=${id}`);
    return json.data.toReversed().map(({ before, after }: Answer["json"]) => [before?.state, after?.state]);
  }

  /** Moves submissions a minute into the past. */
  async aMinuteLater(): Promise<void> {
    await this.world.rows("update templates set listed_from = listed_from - interval '61 seconds'");
  }
}
