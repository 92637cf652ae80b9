const ownParameters = ["tid", "oid"];

/** §8.5 The address for paying an order. Null if `base`, the business's `payments-url`, is not a web address. */
export function paymentLink(base: string | null, transactionId: string, orderId: number): string | null {
  if (base === null || !URL.canParse(base)) return null;
  const url = new URL(base);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  for (const name of ownParameters) if (url.searchParams.has(name)) url.searchParams.delete(name);
  // The parameters are added as text, because `searchParams` would encode the business's own query differently.
  const own = url.search.replace(/^\?/, "").replace(/&+$/, "");
  url.search = `${own === "" ? "" : `${own}&`}tid=${encodeURIComponent(transactionId)}&oid=${orderId}`;
  return url.href;
}
