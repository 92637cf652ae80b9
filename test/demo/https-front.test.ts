import { once } from "node:events";
import https from "node:https";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { type HttpsFront, startHttpsFront } from "../../src/demo/https-front.ts";
import { selfSigned } from "../../src/fixtures/https/certificate.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { freePort } from "../http-client/servers.ts";
import { type Served, serve } from "../support/http.ts";

describe("the https front of the demo", () => {
  useRealNetwork();
  let api: Served;
  let front: HttpsFront;
  before(async () => {
    api = await serve((req, res) => {
      res.writeHead(200, { "content-type": "text/plain", etag: '"a"' });
      res.end(`${req.method} ${req.url} ${req.headers.range}`);
    });
    front = await startHttpsFront(0, Number(new URL(api.url).port));
  });
  after(async () => {
    await front.close();
    await api.close();
  });

  const ask = async (path: string, method = "GET", origin = front.url) => {
    const req = https.request(`${origin}${path}`, {
      method,
      agent: new https.Agent({ rejectUnauthorized: false }),
      headers: { range: "bytes=0-1" },
    });
    req.end();
    const [res] = await once(req, "response");
    const certificate = (res.socket as TLSSocket).getPeerX509Certificate();
    let text = "";
    for await (const chunk of res) text += chunk;
    return { status: res.statusCode, headers: res.headers, text, certificate };
  };

  it("serves only stored files", async () => {
    const answer = await ask("/media/a.png");
    expect([answer.status, answer.text]).to.deep.equal([200, "GET /media/a.png bytes=0-1"]);
    expect(answer.headers).to.include({ etag: '"a"', "content-type": "text/plain" });
    expect((await ask("/media/a.png", "HEAD")).status).to.equal(200);
    for (const [path, method] of [
      ["/media/a.png", "DELETE"],
      ["/media", "POST"],
      ["/campaigns", "GET"],
    ] as const) {
      expect((await ask(path, method)).status, path).to.equal(404);
    }
  });

  it("has a valid certificate for this machine", async () => {
    const { certificate } = await ask("/media/a.png");
    expect(certificate?.checkHost("localhost")).to.equal("localhost");
    expect(certificate?.checkIP("127.0.0.1")).to.equal("127.0.0.1");
    expect(certificate?.checkHost("example.com")).to.equal(undefined);
    expect(new Date(certificate?.validFrom ?? "").getTime()).to.be.at.most(Date.now());
    expect(new Date(certificate?.validTo ?? "").getTime()).to.be.above(Date.now() + 300 * 86_400_000);
    expect((await selfSigned()).cert).not.to.equal((await selfSigned()).cert);
  });

  it("uses another port if its own is taken, and answers 502 without a service behind it", async () => {
    const taken = Number(new URL(front.url).port);
    const other = await startHttpsFront(taken, await freePort());
    expect(other.url).not.to.equal(front.url);
    expect((await ask("/media/a.png", "GET", other.url)).status).to.equal(502);
    await other.close();
  });
});
