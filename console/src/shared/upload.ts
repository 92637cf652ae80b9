import { Refused } from "./api.ts";

export interface Upload {
  /** Resolves with the file's URL. Rejects with `Refused`, or another error if the connection fails. */
  readonly stored: Promise<string>;
  cancel(): void;
}

/** Uploads a file with progress events, which `fetch` does not have. */
export function upload(file: Blob, name: string, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const stored = new Promise<string>((resolve, reject) => {
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => lengthComputable && onProgress(loaded / total);
    request.onload = () => {
      const { media_url } = (request.response ?? {}) as { media_url?: unknown };
      if (request.status === 200 && typeof media_url === "string") resolve(media_url);
      else reject(new Refused(request.status, request.response));
    };
    request.onerror = () => reject(new Error("the service was not reached"));
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    const form = new FormData();
    form.append("file", file, name);
    request.open("POST", "/media");
    request.responseType = "json";
    request.send(form);
  });
  return { stored, cancel: () => request.abort() };
}
