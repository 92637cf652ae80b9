import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { png } from "../messaging/media-files.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";
import { accounts, type Place, startWithPages } from "./pages-support.ts";

const mediaBase = "https://media.test/media/";

describe("files that customers send to pages and photo accounts", () => {
  let world: World;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-page-files-"));
    world = await startWithPages({ environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: mediaBase } });
  });
  after(async () => {
    await world?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  let count = 1;
  const newCustomer = (): string => `2800000000000${String(count++).padStart(4, "0")}`;
  const picture = { type: "image", mime: "image/png", base64: png(500).toString("base64") };
  const tell = (place: Place, customer: string, input: object): Promise<{ id: string }> =>
    world.control("POST", `/customers/${customer}/say`, { to: accounts[place], channel: place, ...input });
  const threadOf = async (customer: string): Promise<Answer["json"][]> => {
    const { json } = await world.get("/chats?limit=100");
    const chat = json.data.find((each: Answer["json"]) => each.contacto.platform_id === customer);
    return chat ? (await world.get(`/chats/${chat.chat_id}/messages`)).json.data : [];
  };
  /** Waits until the chat has this many files. */
  const withFiles = (customer: string, files: number): Promise<Answer["json"][]> =>
    eventually(async () => {
      const thread = await threadOf(customer);
      return thread.filter(({ adjunto }) => adjunto !== null).length === files && thread;
    });

  for (const place of ["page", "photo"] as const) {
    it(`are stored and served on ${place}`, async () => {
      const customer = newCustomer();
      await tell(place, customer, { media: picture });
      const [message] = await withFiles(customer, 1);
      expect(message).to.include({ tipo: "image", media_url: message.adjunto.url });
      const { pathname } = new URL(message.adjunto.url);
      const served = await request(`${world.api}${pathname}`);
      expect([served.status, served.type]).to.deep.equal([200, "image/png"]);
    });
  }

  it("are fetched again after the platform failed", async () => {
    const customer = newCustomer();
    await world.control("POST", "/faults", { path: "attachment", status: 503, retry_after: 1 });
    await tell("page", customer, { media: picture });
    await eventually(async () => (await world.rows("select from incoming_files where attempts > 0")).length > 0);
    await world.rows("update incoming_files set due_at = now()");
    await withFiles(customer, 1);
  });

  it("each have their own message, and are deleted when the customer withdraws it", async () => {
    const customer = newCustomer();
    const { id } = await tell("photo", customer, { text: "Mis fotos", media: picture, album: [picture, picture] });
    const thread = await withFiles(customer, 3);
    expect(thread.map(({ texto }) => texto)).to.deep.equal(["", "", "Mis fotos"]);
    await tell("photo", customer, { unsend: id });
    const left = await withFiles(customer, 0);
    expect(left.map(({ texto }) => texto)).to.deep.equal(["", "", ""]);
  });
});
