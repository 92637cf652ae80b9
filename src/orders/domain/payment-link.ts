const ownParameters = ["tid", "oid"];

/**
 * §8.5 The address at which an order is paid: the business's own, with its query and fragment, and `tid` and `oid`
 * added. Null where the business's address is none that a browser opens.
 */
export function paymentLink(base: string | null, transactionId: string, orderId: number): string | null {
  if (base === null || !URL.canParse(base)) return null;
  const url = new URL(base);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  for (const name of ownParameters) if (url.searchParams.has(name)) url.searchParams.delete(name);
  // Added to the text: going through `searchParams` would spell the business's own query anew.
  const own = url.search.replace(/^\?/, "").replace(/&+$/, "");
  url.search = `${own === "" ? "" : `${own}&`}tid=${encodeURIComponent(transactionId)}&oid=${orderId}`;
  return url.href;
}
