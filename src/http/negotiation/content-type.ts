/** The encoding of a request body. */

import { StatusError, unsupportedMediaType } from "../../machinery/status/status.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { Encoding, Offer } from "./media.ts";

/** The media type without its parameters, in lower case; "": the header is absent. */
function mediaTypeOf(header: string | undefined): string {
  if (header === undefined) return "";
  const semicolon = header.indexOf(";");
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

/** Throws 415. A body without a Content-Type is JSON. */
export function bodyEncoding(exchange: Exchange, offer: Offer): Encoding {
  refuseCompressed(exchange);
  const type = mediaTypeOf(exchange.header("content-type"));
  const found = type === "" ? offer[0] : offer.find((one) => one.type === type);
  if (found !== undefined) return found.encoding;
  throw unsupportedMediaType(offer.map((one) => one.type));
}

export function isCompressed(exchange: Pick<Exchange, "header">): boolean {
  const encoding = exchange.header("content-encoding");
  return encoding !== undefined && encoding !== "" && encoding !== "identity";
}

/** Throws 415. A small compressed body can become a large one, and clients of this API do not send compressed bodies. */
export function refuseCompressed(exchange: Exchange): void {
  if (isCompressed(exchange))
    throw new StatusError("UnsupportedMediaType", "the body of the request must not be compressed");
}
