import { expect } from "chai";
import { docsRoutes } from "../../src/infra/http/openapi/docs.ts";
import { request } from "../support/http.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

describe("the documentation page", () => {
  let app: SampleApp;
  before(async () => {
    app = await serveSample(docsRoutes('Things & <b>"more"</b>'));
  });
  after(() => app.close());

  const linked = (html: string): string[] => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? "");

  const documents = ["/openapi.json", "/asyncapi.json"];

  it("links the documents for clients", async () => {
    expect(linked((await request(`${app.url}/docs`)).text)).to.include.members(documents);
  });

  it("has its title, and no inline script", async () => {
    const page = await request(`${app.url}/docs`);
    expect(page).to.include({ status: 200, type: "text/html" });
    expect(page.text).to.include('<title>Things &amp; &lt;b>"more"&lt;/b></title>');
    expect(page.text).not.to.match(/<script(?! src=)|style=| on\w+=/);
  });

  it("runs only scripts of this server, and may be framed only by pages of this site", async () => {
    const { headers } = await request(`${app.url}/docs`);
    expect(headers).to.include({ "x-content-type-options": "nosniff", "x-frame-options": "SAMEORIGIN" });
    expect(headers["content-security-policy"]).to.match(/default-src 'self';.*script-src 'self'(;|$)/);
    expect(headers["cross-origin-opener-policy"]).to.equal("same-origin");
  });

  it("loads all its files from this server, for unlimited caching", async () => {
    const urls = linked((await request(`${app.url}/docs`)).text).filter((url) => !documents.includes(url));
    const types: Record<string, string> = {};
    for (const url of urls) {
      expect(url).to.match(/^\/docs\/[\w.-]+\?v=[\w.-]+$/);
      const file = await request(app.url + url);
      expect(file.status).to.equal(200);
      expect(file.text).not.to.equal("");
      expect(file.headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
      const again = await request(app.url + url, { headers: { "if-none-match": file.headers.etag ?? "" } });
      expect(again).to.include({ status: 304, text: "" });
      types[url.replace(/^\/docs\/|\?.*/g, "")] = file.type;
    }
    expect(types).to.deep.equal({
      "favicon-32x32.png": "image/png",
      "swagger-ui.css": "text/css",
      "swagger-ui-bundle.js": "text/javascript",
      "start.js": "text/javascript",
    });
  });

  it("uses no external validator", async () => {
    const { text } = await request(`${app.url}/docs/start.js`);
    expect(text).to.include("validatorUrl: null").and.to.include('url: "/openapi.json"');
    expect(text).not.to.match(/https?:/);
  });

  for (const file of [
    "index.html",
    "package.json",
    "swagger-ui.css.map",
    "..%2Fpackage.json",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "constructor",
    "__proto__",
    "%00",
  ]) {
    it(`serves no other file, such as ${file}`, async () => {
      const answer = await request(`${app.url}/docs/${file}`);
      expect(answer.status).to.equal(404);
      expect(answer.json).to.deep.equal({ message: "Not found" });
    });
  }
});
