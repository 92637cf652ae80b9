import type { HttpOutcome, HttpTimeouts } from "../../infra/http-client/http-client.ts";
import { fields, parse } from "../../infra/http-client/json.ts";
import type { SampleFiles, Sender, SubmitOutcome } from "../../messaging/public.ts";
import { bearer, type GraphSettings, graphError, graphRead } from "../shared/graph.ts";
import { safeReason } from "../shared/refusals.ts";
import { posted } from "../shared/sending.ts";

interface SampleSettings extends GraphSettings {
  readonly samples: SampleFiles;
  readonly timeouts: HttpTimeouts & { readonly uploadMs: number };
}

const megabyte = 1024 * 1024;
/** Header examples that the platform accepts. It allows larger documents, but no example needs them. */
const allowed: Readonly<Record<string, { readonly types: readonly string[]; readonly mostBytes: number }>> = {
  IMAGE: { types: ["image/jpeg", "image/png"], mostBytes: 5 * megabyte },
  VIDEO: { types: ["video/mp4"], mostBytes: 16 * megabyte },
  DOCUMENT: { types: ["application/pdf"], mostBytes: 16 * megabyte },
};

type NotSubmitted = Exclude<SubmitOutcome, { readonly kind: "accepted" }>;

/**
 * Replaces example URLs by handles, because the platform accepts only handles of its upload API. Reads the token's app,
 * opens an upload of that app and uploads the file. The stored template keeps the URL, since handles expire.
 */
export async function withHandles(
  settings: SampleSettings,
  sender: Sender,
  components: unknown,
): Promise<{ readonly components: unknown } | NotSubmitted> {
  if (!Array.isArray(components)) return { components };
  const ready: unknown[] = [];
  for (const component of components) {
    const limits = allowed[String(fields(component).format).toUpperCase()];
    const [address] = handlesOf(component);
    if (limits === undefined || typeof address !== "string" || !/^https?:/i.test(address)) {
      ready.push(component);
      continue;
    }
    const sample = URL.canParse(address) ? await settings.samples.read(address, limits) : "unreachable";
    if (typeof sample === "string") return { kind: "no-sample", problem: sample };
    const uploaded = await upload(settings, sender, sample);
    if (typeof uploaded !== "string") return uploaded;
    const example = { ...fields(fields(component).example), header_handle: [uploaded] };
    ready.push({ ...fields(component), example });
  }
  return { components: ready };
}

function handlesOf(component: unknown): readonly unknown[] {
  const { header_handle: handles } = fields(fields(component).example);
  return Array.isArray(handles) ? handles : [];
}

type Sample = Exclude<Awaited<ReturnType<SampleFiles["read"]>>, string>;

/** Returns the handle of the uploaded file. */
async function upload(settings: SampleSettings, sender: Sender, sample: Sample): Promise<string | NotSubmitted> {
  const { version, timeouts } = settings;
  const app = await graphRead(settings, "app?fields=id", sender);
  const appId = textIn(app, "id", sender);
  if (typeof appId !== "string") return appId;

  const file = new URLSearchParams({
    file_name: sample.name,
    file_length: String(sample.bytes.length),
    file_type: sample.type,
  });
  const session = await posted(settings, {
    path: `/${version}/${encodeURIComponent(appId)}/uploads?${file}`,
    headers: bearer(sender.accessToken),
  });
  const id = textIn(session, "id", sender);
  if (typeof id !== "string") return id;

  const uploading = { ...settings, timeouts: { ...timeouts, totalMs: timeouts.uploadMs } };
  const sent = await posted(uploading, {
    // The id must not be escaped: its form is `upload:MTphd...?sig=ARZ...`.
    path: `/${version}/${id}`,
    headers: {
      // Only this request uses the scheme `OAuth`.
      authorization: `OAuth ${sender.accessToken}`,
      file_offset: "0",
      "content-type": "application/octet-stream",
    },
    body: sample.bytes,
  });
  return textIn(sent, "h", sender);
}

/** Reads a field of the answer. After a failure that is not a refusal, the template is `not-sent`. */
function textIn(outcome: HttpOutcome, name: string, { accessToken }: Sender): string | NotSubmitted {
  if (outcome.kind !== "answer") return { kind: "not-sent" };
  const body = parse(outcome.text);
  const value = body[name];
  if (outcome.status === 200 && typeof value === "string" && value !== "") return value;
  const error = graphError(body);
  const isRefusal = error !== undefined && outcome.status >= 400 && outcome.status < 500 && outcome.status !== 429;
  return isRefusal ? { kind: "refused", words: safeReason(error, accessToken) } : { kind: "not-sent" };
}
