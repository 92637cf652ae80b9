import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { consoleRoutes, versionRoute } from "../../src/infra/http/console.ts";
import { request } from "../support/http.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

describe("the console", () => {
  const script = `console.log(${JSON.stringify("recado ".repeat(500))})`;
  let outside: string;
  let directory: string;
  let app: SampleApp;
  before(async () => {
    outside = await mkdtemp(join(tmpdir(), "console-"));
    directory = join(outside, "dist");
    await mkdir(join(directory, "assets"), { recursive: true });
    await writeFile(join(directory, "index.html"), "<!doctype html><title>Recado</title>");
    await writeFile(join(directory, "icon.svg"), "<svg/>");
    await writeFile(join(directory, "assets/app-1234.js"), script);
    await writeFile(join(outside, "secret.txt"), "");
    app = await serveSample([...consoleRoutes(directory), versionRoute(directory, "1.2.3")]);
  });
  after(async () => {
    await app.close();
    await rm(outside, { recursive: true });
  });

  it("serves its page at the URL of every view, which browsers must revalidate", async () => {
    for (const path of ["/console", "/console/", "/console/inbox", "/console/inbox/12", "/console/settings/users/3"]) {
      const page = await request(app.url + path);
      expect([page.status, page.type, page.text], path).to.deep.equal([
        200,
        "text/html",
        "<!doctype html><title>Recado</title>",
      ]);
      expect(page.headers["cache-control"]).to.equal("no-cache");
      const again = await request(app.url + path, { headers: { "if-none-match": page.headers.etag ?? "" } });
      expect(again.status).to.equal(304);
    }
  });

  it("allows no inline script, no other host and no frame", async () => {
    const { headers } = await request(`${app.url}/console/`);
    const policy = String(headers["content-security-policy"]);
    expect(policy).to.include("default-src 'self'").and.to.include("frame-ancestors 'none'");
    expect(policy).not.to.match(/script-src[^;]*unsafe|https?:/);
  });

  it("serves files that browsers may cache for ever, in the browser's compression", async () => {
    for (const encoding of ["br", "gzip", "identity"]) {
      const file = await fetch(`${app.url}/console/assets/app-1234.js`, { headers: { "accept-encoding": encoding } });
      expect(await file.text()).to.equal(script);
      expect(file.headers.get("content-encoding")).to.equal(encoding === "identity" ? null : encoding);
      expect(file.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(file.headers.get("vary")).to.include("Accept-Encoding");
    }
    expect((await request(`${app.url}/console/icon.svg`)).type).to.equal("image/svg+xml");
  });

  it("serves nothing outside its folder", async () => {
    for (const file of ["app-0.js", "..%2findex.html", "%2e%2e%2f%2e%2e%2fsecret.txt", "constructor"]) {
      const { status } = await request(`${app.url}/console/assets/${file}`);
      expect(status, file).to.be.oneOf([400, 404]);
    }
    expect((await request(`${app.url}/console/..%2fsecret.txt`)).text).to.include("<title>Recado");
  });

  it("has a version that changes with its build", async () => {
    const { json } = await request(`${app.url}/version`);
    expect(json).to.have.all.keys("version", "console");
    await writeFile(join(outside, "index.html"), "<!doctype html><title>Recado 2</title>");
    const next = await serveSample([versionRoute(outside, "1.2.3")]);
    const later = (await request(`${next.url}/version`)).json;
    await next.close();
    expect([json.version, later.version]).to.deep.equal(["1.2.3", "1.2.3"]);
    expect(later.console)
      .to.match(/^[\w-]{22}$/)
      .and.not.equal(json.console);
  });

  it("answers with a hint if it was not built", async () => {
    const empty = await serveSample(consoleRoutes(join(directory, "nowhere")));
    const { status, json } = await request(`${empty.url}/console/`);
    await empty.close();
    expect([status, json]).to.deep.equal([404, { message: "The console is not built: make console" }]);
  });
});
