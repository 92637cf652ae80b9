import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type Koa from "koa";
import helmet from "koa-helmet";

type Headers = readonly (readonly [name: string, value: string])[];

/** For API answers. Headers that matter only for pages are left out to save bytes. */
export const dataHeaders: Headers = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { "default-src": ["'none'"], "frame-ancestors": ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  xFrameOptions: { action: "deny" },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

export const pageHeaders: Headers = headersOf({
  contentSecurityPolicy: { directives: { "script-src": ["'self'"], "upgrade-insecure-requests": null } },
  crossOriginResourcePolicy: { policy: "cross-origin" },
});

/** Helmet's headers do not depend on the request, so they are computed once. */
function headersOf(options: Parameters<typeof helmet>[0]): Headers {
  const blank = new ServerResponse(new IncomingMessage(new Socket()));
  void helmet(options)({ req: blank.req, res: blank } as Koa.Context, async () => {});
  return Object.entries(blank.getHeaders()) as [name: string, value: string][];
}
