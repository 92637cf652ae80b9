import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { listOf, readConfig } from "../../src/bootstrap/config.ts";
import { channels } from "../../src/kernel/channels.ts";

/** The variables that are required in production. */
const needed = {
  DATABASE_URL: "postgres://recado@db/recado",
  MASTER_SECRET: "thirty-two characters or more of it",
  MESSAGING_PLATFORM_URL: "https://graph.facebook.com",
  PLATFORM_APP_SECRET: "app secret",
  PLATFORM_VERIFY_TOKEN: "verify token",
};

/** For each variable, a value that is not its default. */
const others: Readonly<Record<string, string>> = {
  ...needed,
  ROLE: "worker",
  HOST_ADDRESS: "127.0.0.9",
  PORT: "8080",
  LOG_LEVEL: "warn",
  PUBLIC_URL: "https://recado.example",
  METRICS_KEY: "metrics key",
  PLAIN_HTTP_HOSTS: "soketi,minio",
  MONGODB_URI: "mongodb://mongo/recado",
  REDIS_URL: "redis://redis:6379",
  DATABASE_DIRECT_URL: "postgres://direct.test/recado",
  DATABASE_STATEMENT_NAMES: "off",
  CELLS: '{"c2":{"schema":"c2"}}',
  DATABASE_POOL_SIZE: "7",
  DRAIN_SECONDS: "11",
  DATABASE_SLOW_POOL_SIZE: "9",
  CORS_ORIGINS: "https://a.example,https://b.example",
  TRUST_PROXY: "10.0.0.0/8",
  RATE_LIMIT_PER_SECOND: "11",
  RATE_LIMIT_BURST: "13",
  CONNECTIONS: "5000",
  CONNECTIONS_PER_ADDRESS: "2000",
  SESSION_HOURS: "0.5",
  QR_PROVIDER_URL: "https://qr.example",
  PROVIDER_B_URL: "https://b.example",
  DELIVERY_PRICING_URL: "https://prices.example",
  DRIVER_TRACKING_URL: "https://drivers.example",
  SMS_PROVIDER_URL: "https://user:password@sms.example",
  PUSHER_HOST: "http://soketi:6001",
  PUSHER_APP_ID: "app id",
  PUSHER_KEY: "pusher key",
  PUSHER_SECRET: "pusher secret",
  MEDIA_BASE_URL: "https://media.example/",
  MEDIA_DIR: "/var/lib/recado/media",
  MEDIA_S3_BUCKET: "recado-media",
  MEDIA_S3_ENDPOINT: "https://s3.example",
  MEDIA_S3_REGION: "sa-east-1",
  ALLOW_PRIVATE_MEDIA_URLS: "true",
  ALLOW_PRIVATE_WEBHOOK_URLS: "true",
  MESSAGE_LEASE_SECONDS: "90",
  CAMPAIGN_SEND_WITHIN_SECONDS: "9",
  CAMPAIGN_RECORD_WITHIN_SECONDS: "11",
  MESSAGING_PLATFORM_TIMEOUT_MS: "17000",
  ADS_PLATFORM_URL: "https://ads.example",
  ADS_PLATFORM_TIMEOUT_MS: "9000",
  ADS_REMEMBER_SECONDS: "5",
};

/** Variables that must be set together. */
const together = ["PUSHER_HOST", "PUSHER_APP_ID", "PUSHER_KEY", "PUSHER_SECRET"];
const companionsOf = (variable: string): Record<string, string> =>
  Object.fromEntries(together.includes(variable) ? together.map((name) => [name, others[name] ?? ""]) : []);

type Json = { readonly [name: string]: string | Json };

/** Each variable with the path of its setting in the configuration. */
const variablesIn = (tree: Json, at: readonly string[] = []): [variable: string, path: readonly string[]][] =>
  Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "string" ? [[value, [...at, name]]] : variablesIn(value, [...at, name]),
  );
const variables = variablesIn(JSON.parse(readFileSync("config/custom-environment-variables.json", "utf8")));

function refusalOf(environment: Record<string, string | undefined>): string {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the configuration was accepted");
}

describe("the configuration", () => {
  it("requires variables without a default, and names all missing ones at once", () => {
    const message = refusalOf({});
    for (const variable of Object.keys(needed)) expect(message).to.include(`${variable} is not set`);
    expect(message.match(/\n/g)).to.have.length(Object.keys(needed).length);
  });

  it("has a default for all other variables", () => {
    expect(readConfig(needed)).to.deep.include({ role: "all", host: "0.0.0.0", port: 3000, logLevel: "info" });
  });

  it("treats an empty variable as missing", () => {
    expect(refusalOf({ ...needed, MASTER_SECRET: "" })).to.include("MASTER_SECRET is not set");
    expect(readConfig({ ...needed, PORT: "", ROLE: "" })).to.include({ port: 3000, role: "all" });
  });

  it("comes from the given environment only", () => {
    const before = process.env.DATABASE_URL;
    process.env.DATABASE_URL = needed.DATABASE_URL;
    try {
      expect(refusalOf({ ...needed, DATABASE_URL: undefined })).to.include("DATABASE_URL is not set");
    } finally {
      if (before === undefined) delete process.env.DATABASE_URL;
      else process.env.DATABASE_URL = before;
    }
  });

  it("is tested with every variable", () => {
    expect(Object.keys(others)).to.have.members(variables.map(([variable]) => variable));
  });

  it("has a setting and a variable for the URL of each channel outside the messaging platform", () => {
    const elsewhere = channels.filter((name) => !name.startsWith("platform-"));
    expect(Object.keys(readConfig(needed).channels)).to.have.members(elsewhere);
    const set = variables.flatMap(([, [section, name]]) => (section === "channels" ? [name] : []));
    expect(set).to.have.members(elsewhere);
  });

  for (const [variable, path] of variables) {
    it(`reads ${path.join(".")} from ${variable}, with its type`, () => {
      const valueIn = (config: unknown) =>
        path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
      const companions = companionsOf(variable);
      const value = others[variable] ?? "";
      const rest = Object.fromEntries(
        Object.entries(others).filter(([name]) => name !== variable && !(name in companions)),
      );
      const read = valueIn(readConfig({ ...needed, ...companions, [variable]: value }));
      expect(read).to.deep.equal(/^(\d+(\.\d+)?|true|\{.*\})$/.test(value) ? JSON.parse(value) : value);
      if (!(variable in needed)) expect(valueIn(readConfig({ ...rest, ...needed }))).not.to.deep.equal(read);
    });
  }

  const wrong: [variable: string, value: string][] = [
    ["ROLE", "boss"],
    ["PORT", "x"],
    ["PORT", "65536"],
    ["PORT", "1.5"],
    ["LOG_LEVEL", "loud"],
    ["DATABASE_URL", "mysql://db/recado"],
    ["DATABASE_POOL_SIZE", "1"],
    ["MASTER_SECRET", "too short, hunter2"],
    ["MESSAGING_PLATFORM_URL", "graph.facebook.com"],
    ["MONGODB_URI", "postgres://db"],
    ["REDIS_URL", "redis"],
    ["TRUST_PROXY", "yes"],
    ["TRUST_PROXY", "true"],
    ["RATE_LIMIT_PER_SECOND", "0"],
    ["RATE_LIMIT_BURST", "-1"],
    ["SESSION_HOURS", "0"],
    ["QR_PROVIDER_URL", "qr.example"],
    ["ADS_PLATFORM_URL", "ads.example"],
    ["PROVIDER_B_URL", "ftp://b.example"],
    ["DELIVERY_PRICING_URL", "prices.example"],
    ["DRIVER_TRACKING_URL", "ws://drivers.example"],
    ["SMS_PROVIDER_URL", "sms:59170000001"],
    ["PUSHER_HOST", "https://host/path"],
    ["PUSHER_HOST", "wss://host"],
    ["MEDIA_BASE_URL", "http://media.example/"],
    ["MEDIA_BASE_URL", "https://media.example"],
    ["ALLOW_PRIVATE_MEDIA_URLS", "maybe"],
    ["ALLOW_PRIVATE_WEBHOOK_URLS", "maybe"],
  ];
  for (const [variable, value] of wrong) {
    it(`refuses ${variable}=${value} with the variable's name and without the value`, () => {
      const message = refusalOf({ ...needed, [variable]: value });
      expect(message).to.match(new RegExp(`^bad configuration:\n  ${variable} must .+$`));
      expect(message).not.to.include("hunter2");
    });
  }

  it("accepts a Pusher host with or without scheme and port", () => {
    for (const host of ["api-eu.pusher.com", "soketi:6001", "http://127.0.0.1:6001", "https://soketi.example/"]) {
      const { pusher } = readConfig({ ...needed, ...companionsOf("PUSHER_HOST"), PUSHER_HOST: host });
      expect(pusher).to.include({ host, appId: "app id", key: "pusher key", secret: "pusher secret" });
    }
  });

  for (const variable of together) {
    it(`refuses Pusher settings without ${variable}`, () => {
      const message = refusalOf({ ...needed, ...companionsOf(variable), [variable]: "" });
      expect(message).to.equal(
        "bad configuration:\n  PUSHER_HOST, PUSHER_APP_ID, PUSHER_KEY and PUSHER_SECRET must be set together",
      );
    });
  }

  it("refuses a message's lease that ends before its request", () => {
    expect(refusalOf({ ...needed, MESSAGE_LEASE_SECONDS: "20" })).to.equal(
      "bad configuration:\n  MESSAGE_LEASE_SECONDS must be more than MESSAGING_PLATFORM_TIMEOUT_MS, 20000 ms",
    );
    expect(readConfig({ ...needed, MESSAGE_LEASE_SECONDS: "21" }).messages.leaseSeconds).to.equal(21);
  });

  describe("in production", () => {
    const production = {
      ...needed,
      NODE_ENV: "production",
      PLATFORM_APP_SECRET: "0123456789abcdef",
      PLATFORM_VERIFY_TOKEN: "verify me, please",
    };
    const asked = Object.entries(others).filter(([, value]) => /^https?:\/\/(?!media\.)/.test(value));
    const addresses = asked.map(([variable]) => variable).filter((variable) => variable !== "CORS_ORIGINS");

    it("is accepted with strong values, and with secrets that a command created", () => {
      expect(readConfig(production).role).to.equal("all");
      const made = {
        MASTER_SECRET: randomBytes(32).toString("hex"),
        PLATFORM_APP_SECRET: randomBytes(16).toString("hex"),
      };
      expect(readConfig({ ...production, ...made }).secrets.master).to.equal(made.MASTER_SECRET);
    });

    it("is refused for all weak values at once, without showing them", () => {
      const message = refusalOf({
        ...production,
        DATABASE_URL: "",
        MASTER_SECRET: "hunter2".repeat(5),
        PLATFORM_APP_SECRET: "x",
        PLATFORM_VERIFY_TOKEN: "x".repeat(32),
        METRICS_KEY: "fifteen charact",
        MESSAGING_PLATFORM_URL: "http://user:hunter2@graph.example",
        ALLOW_PRIVATE_MEDIA_URLS: "true",
        ALLOW_PRIVATE_WEBHOOK_URLS: "true",
      });
      expect(message.split("\n  ")).to.deep.equal([
        "bad configuration:",
        "DATABASE_URL is not set",
        "MASTER_SECRET must have at least 10 different characters",
        "PLATFORM_APP_SECRET must have at least 16 characters",
        "PLATFORM_VERIFY_TOKEN must have at least 6 different characters",
        "METRICS_KEY must have at least 16 characters",
        "MESSAGING_PLATFORM_URL must begin with https://, unless PLAIN_HTTP_HOSTS names its host",
        "ALLOW_PRIVATE_MEDIA_URLS must not be set in production",
        "ALLOW_PRIVATE_WEBHOOK_URLS must not be set in production",
      ]);
    });

    it("may be weak outside of production", () => {
      const weak = {
        MASTER_SECRET: "a".repeat(32),
        PLATFORM_APP_SECRET: "x",
        MESSAGING_PLATFORM_URL: "http://graph.example",
      };
      expect(readConfig({ ...needed, ...weak, ALLOW_PRIVATE_MEDIA_URLS: "true" }).media.allowPrivateUrls).to.equal(
        true,
      );
    });

    it("is refused with any http URL of another machine", () => {
      expect(addresses).to.have.length(10);
      for (const variable of addresses) {
        const refused = { ...production, ...companionsOf(variable), [variable]: "http://Host.example:8080" };
        expect(refusalOf(refused)).to.equal(
          `bad configuration:\n  ${variable} must begin with https://, unless PLAIN_HTTP_HOSTS names its host`,
        );
        expect(readConfig({ ...refused, PLAIN_HTTP_HOSTS: "soketi, HOST.example" }).port).to.equal(3000);
        for (const host of ["localhost:1", "127.0.0.1", "127.1.2.3"]) {
          expect(readConfig({ ...refused, [variable]: `http://${host}` }).port).to.equal(3000);
        }
        for (const host of ["127.0.0.1.example", "localhost.example", "10.0.0.1", "soketi"]) {
          expect(refusalOf({ ...refused, [variable]: `http://${host}` })).to.include(variable);
        }
      }
    });
  });

  it("reads lists as texts with commas", () => {
    expect(listOf(" https://a.example , ,https://b.example,")).to.deep.equal([
      "https://a.example",
      "https://b.example",
    ]);
  });
});
