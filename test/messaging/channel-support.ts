import { expect } from "chai";
import nock from "nock";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import type { ChannelName } from "../../src/kernel/channels.ts";
import type { Channel, ChannelMessage, Sender } from "../../src/messaging/application/sends/ports.ts";
import type { RefusalClass, SendOutcome } from "../../src/messaging/domain/platform.ts";
import type { SampleFiles } from "../../src/messaging/public.ts";
import { useNock } from "../http-client/nocked.ts";

export const host = "https://platform.test";

export const senderOn = (channel: ChannelName, changes: Partial<Sender> = {}): Sender => ({
  id: 7,
  channel,
  platformId: "1055",
  accountId: "AC2066",
  phone: "59120000001",
  accessToken: "EAAsecret",
  ...changes,
});

export const aMessage = (changes: Partial<ChannelMessage> = {}): ChannelMessage => ({
  to: "59170000001",
  reference: "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a",
  text: 'Hola Ana, ñandú "2" & más',
  ...changes,
});

export const picture = { type: "image", link: "https://files.test/a.jpg" } as const;
export const clip = { type: "video", link: "https://files.test/a.mp4" } as const;
export const voice = { type: "audio", link: "https://files.test/a.ogg" } as const;
export const paper = { type: "document", link: "https://files.test/lists/precios%20de%20hoy.pdf?v=1" } as const;

export const template = {
  name: "order_ready",
  language: "es",
  parameters: ["Ana", 'ñandú "2"'],
  providerBId: "HX1",
} as const;

/** A request to the platform. */
interface Asked {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** Milliseconds, longer than any request takes in these tests. Tests of timeouts set shorter timeouts. */
export const timeouts = { connectMs: 3_000, totalMs: 15_000, pageMs: 4_000, listMs: 10_000, uploadMs: 15_000 };
export const samples: SampleFiles = { read: async () => "unreachable" };
export const version = "v23.0";

interface Setting {
  readonly connect: (client: HttpClient) => Channel;
  readonly sender: Sender;
  /** The path of the channel's requests. */
  readonly path: string;
}

/** A channel whose platform is mocked by nock. An unexpected request fails. */
export class Stage {
  private client = new HttpClient();

  private constructor(private readonly setting: Setting) {}

  /** Makes a stage for the surrounding suite, with a new client for each test. */
  static use(setting: Setting): Stage {
    const stage = new Stage(setting);
    useNock();
    beforeEach(() => {
      stage.client = new HttpClient();
    });
    afterEach(() => stage.client.close());
    return stage;
  }

  connected(): Channel {
    return this.setting.connect(this.client);
  }

  /** Sends a message, to which the platform gives this answer. Returns the outcome. */
  async outcomeOf(status: number, body: object | string, headers?: Record<string, string>): Promise<SendOutcome> {
    const { connect, sender, path } = this.setting;
    const scope = nock(host).post(path).reply(status, body, headers);
    const outcome = await connect(this.client).send(sender, aMessage());
    scope.done();
    return outcome;
  }

  /** Sends the message and returns the request that the platform got. `other` replaces settings of the stage. */
  async askedFor(message: ChannelMessage, other: Partial<Setting> = {}): Promise<Asked> {
    const { connect, sender, path } = { ...this.setting, ...other };
    let asked: Asked | undefined;
    nock(host)
      .post(path)
      .reply(function (_uri, body) {
        asked = { headers: this.req.headers, body };
        return [500, "enough"];
      });
    await connect(this.client).send(sender, message);
    if (!asked) throw new Error("no request was sent");
    return asked;
  }

  async classOf(status: number, body: object): Promise<RefusalClass | SendOutcome["kind"]> {
    const outcome = await this.outcomeOf(status, body);
    return outcome.kind === "refused" ? outcome.refusal.class : outcome.kind;
  }

  /** Tests that the outcome is unknown after each answer in `own`, and after answers that any platform may give. */
  provesNothing(own: Readonly<Record<string, [status: number, body: object | string]>>): void {
    const proofless: Record<string, [number, object | string]> = {
      "a 200 of something else": [200, "<html>Welcome to the hotel</html>"],
      "a 201 without a body": [201, ""],
      "a redirect": [302, ""],
      "a gateway's 502": [502, "<html>Bad gateway</html>"],
      "a firewall's 403": [403, "denied"],
      "a gateway's 404": [404, { message: "no Route matched with those values" }],
      "a gateway's 429": [429, { message: "API rate limit exceeded" }],
      "a gateway's 503 with a code": [503, { code: 503, message: "upstream connect error" }],
      null: [400, "null"],
      "a list": [400, "[]"],
      ...own,
    };
    for (const [what, [status, body]] of Object.entries(proofless)) {
      it(`has an unknown outcome after ${what}`, async () => {
        expect(await this.outcomeOf(status, body)).to.deep.equal({
          kind: "unknown",
          reason: `HTTP ${status} that proves nothing`,
        });
      });
    }
  }
}
