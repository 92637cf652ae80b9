import { once } from "node:events";
import https from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { expect } from "chai";
import { selfSigned } from "../../src/fixtures/https/certificate.ts";
import { Busy } from "../../src/kernel/errors.ts";
import { HttpMediaProbe, type HttpMediaProbeSettings } from "../../src/messaging/adapters/http-client/media-probe.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { freePort } from "../http-client/servers.ts";
import { eventually } from "../support/wait.ts";

describe("HttpMediaProbe", () => {
  useRealNetwork();
  let probe: HttpMediaProbe;
  afterEach(() => probe.close());

  describe("with addresses that are not public", () => {
    let inner: Server;
    let port: number;
    let connections: number;

    before(async () => {
      // The server listens on all addresses, IPv6 and IPv4.
      inner = createServer((socket) => {
        connections++;
        socket.destroy();
      });
      inner.listen(0);
      await once(inner, "listening");
      port = (inner.address() as AddressInfo).port;
    });
    after(() => {
      inner.close();
    });
    beforeEach(() => {
      connections = 0;
      probe = new HttpMediaProbe({ timeoutMs: 2_000 });
    });

    const hosts = [
      ...[
        "127.0.0.1",
        "127.1",
        "127.255.255.254",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
      ],
      ...["127.0.0.1.", "127。0。0。1", "%31%32%37.0.0.1", "0.0.0.0", "0", "10.0.0.1", "172.16.0.1", "192.168.1.1"],
      ...[
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
      ],
      ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
      ...["[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]"],
      ...["[fe80::1]", "[fec0::1]", "[fd00:ec2::254]", "[ff02::1]"],
    ];
    for (const host of hosts) {
      it(`refuses ${host} without connecting`, async () => {
        expect(await probe.probe(1, `https://${host}:${port}/a.png`)).to.deep.equal({ status: null });
        expect(connections).to.equal(0);
      });
    }

    it("refuses a name for such an address", async () => {
      for (const host of ["localhost", "LOCALHOST", "localhost."]) {
        expect(await probe.probe(1, `https://${host}:${port}/`), host).to.have.property("status", null);
      }
      expect(connections).to.equal(0);
    });

    it("gives the same answer for an open and a closed port of ours", async () => {
      expect(await probe.probe(1, `https://127.0.0.1:${await freePort()}/`)).to.deep.equal(
        await probe.probe(1, `https://127.0.0.1:${port}/`),
      );
    });

    it("refuses URLs that are not plain https URLs", async () => {
      const host = `127.0.0.1:${port}`;
      const urls = [
        `http://${host}/`,
        `HTTP://${host}/`,
        `ftp://${host}/`,
        "file:///etc/passwd",
        `//${host}/`,
        "https://",
        "",
        `https://public.example@${host}/`,
        `https://public.example:x@${host}/`,
        `https://${host}/${"x".repeat(2_048)}`,
        "https://a\0.example.com/",
        "https://a%00.example.com/",
      ];
      for (const url of urls) {
        expect(await probe.probe(1, url), url).to.deep.equal({ status: null });
      }
      // In these two URLs, the host is not `public.example`. The host ends before `\` or `#`.
      expect(await probe.probe(1, `https://${host}\\@public.example/`)).to.have.property("status", null);
      expect(await probe.probe(1, `https://${host}#@public.example/`)).to.have.property("status", null);
      expect(connections).to.equal(0);
    });
  });

  describe("with a permitted address", () => {
    let media: https.Server;
    let origin: string;
    let asked: string[];

    beforeEach(async () => {
      asked = [];
      media = https.createServer(await selfSigned(), (request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (request.url === "/hang") return;
        const status = Number(request.url?.slice(1, 4));
        response.writeHead(status, { location: "/200", "content-length": 50_000_000 }).end();
      });
      media.listen(0, "127.0.0.1");
      await once(media, "listening");
      origin = `https://127.0.0.1:${(media.address() as AddressInfo).port}`;
    });
    afterEach(() => {
      media.closeAllConnections();
      media.close();
    });
    const allowing = (settings: Partial<HttpMediaProbeSettings> = {}): HttpMediaProbe =>
      new HttpMediaProbe({ timeoutMs: 5_000, allowPrivate: true, ...settings });

    for (const status of [200, 204, 404, 405, 500]) {
      it(`reports the status ${status}`, async () => {
        probe = allowing();
        expect(await probe.probe(1, `${origin}/${status}`)).to.deep.equal({ status });
        expect(asked).to.deep.equal([`HEAD /${status}`]);
      });
    }

    it("reports a redirect and does not follow it", async () => {
      probe = allowing();
      expect(await probe.probe(1, `${origin}/302`)).to.deep.equal({ status: 302 });
      expect(asked).to.deep.equal(["HEAD /302"]);
    });

    it("accepts a URL of 2,048 characters, but no longer one", async () => {
      probe = allowing();
      const url = `${origin}/200?`;
      const longest = url + "x".repeat(2_048 - url.length);
      expect(await probe.probe(1, longest)).to.deep.equal({ status: 200 });
      expect(await probe.probe(1, `${longest}x`)).to.have.property("status", null);
    });

    it("reports a missing answer after a time limit", async () => {
      probe = allowing({ timeoutMs: 200 });
      expect(await probe.probe(1, `${origin}/hang`)).to.deep.equal({ status: null });
    });

    it("requests one business's URL while those of another one hang", async () => {
      probe = allowing({ maxAtOnce: 8 });
      const hanging = Array.from({ length: 8 }, () => probe.probe(1, `${origin}/hang`));
      await eventually(() => asked.length === 1);
      expect(await probe.probe(2, `${origin}/200`)).to.deep.equal({ status: 200 });
      expect(asked).to.deep.equal(["HEAD /hang", "HEAD /200"]);
      const outcomes = Promise.allSettled(hanging);
      media.closeAllConnections();
      await outcomes;
    });

    it("refuses a business with too many waiting requests, as its own fault", async () => {
      probe = allowing({ maxAtOnce: 1 });
      const probes = [1, 2, 3].map(() => probe.probe(1, `${origin}/200`));
      const outcomes = await Promise.allSettled(probes);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "fulfilled", "rejected"]);
      expect((outcomes[2] as PromiseRejectedResult).reason)
        .to.be.instanceOf(Busy)
        .that.includes({ isOwnDoing: true });
    });

    it("does not request it without permission for private addresses", async () => {
      probe = new HttpMediaProbe({ timeoutMs: 5_000 });
      expect(await probe.probe(1, `${origin}/200`)).to.have.property("status", null);
      expect(asked).to.deep.equal([]);
    });
  });
});
