const office = "application/vnd.openxmlformats-officedocument";

/** The types of files that the service can send, by the files' extensions. */
export const mediaTypes: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  mp4: "video/mp4",
  "3gp": "video/3gpp",
  aac: "audio/aac",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  amr: "audio/amr",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  txt: "text/plain",
  csv: "text/plain",
  doc: "application/msword",
  docx: `${office}.wordprocessingml.document`,
  xls: "application/vnd.ms-excel",
  xlsx: `${office}.spreadsheetml.sheet`,
  ppt: "application/vnd.ms-powerpoint",
  pptx: `${office}.presentationml.presentation`,
};

/** The type that the file's extension stands for. */
export const typeNamed = (name: string): string | undefined =>
  mediaTypes[/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""];

/** The type of the file at an address, by the extension in the path. Undefined without a known extension. */
export const typeAt = (url: string): string | undefined => typeNamed(URL.canParse(url) ? new URL(url).pathname : url);

const megabyte = 1024 * 1024;
const largest: Readonly<Record<string, number>> = { image: 5, video: 16, audio: 16 };
const largestDocument = 100;

/** All types with the largest size in bytes that any channel takes. */
export const mediaLimits: Readonly<Record<string, number>> = Object.fromEntries(
  Object.values(mediaTypes).map((type) => [type, (largest[type.split("/")[0] ?? ""] ?? largestDocument) * megabyte]),
);
