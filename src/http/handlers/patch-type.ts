/** The patch types by their media types. */

import { type PatchType, patchMediaTypes } from "../../machinery/patch/media-types.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Exchange } from "../contract/exchange.ts";
import { refuseCompressed } from "../negotiation/content-type.ts";

const patchTypes: ReadonlyMap<string, PatchType> = new Map(
  (Object.keys(patchMediaTypes) as PatchType[]).map((type) => [patchMediaTypes[type], type]), // the table's own keys
);

/**
 * Throws 415. Unlike other bodies, a patch must name its type, exactly as above. Custom resources have no merge keys for lists,
 * and so no strategic merge.
 */
export function readPatchType(exchange: Exchange, isCustom: boolean): PatchType {
  refuseCompressed(exchange);
  const header = exchange.header("content-type") ?? "";
  const semicolon = header.indexOf(";");
  const type = patchTypes.get((semicolon < 0 ? header : header.slice(0, semicolon)).trim());
  if (type !== undefined && !(isCustom && type === "strategic")) return type;
  const allowed = [...patchTypes].filter(([, one]) => !(isCustom && one === "strategic")).map(([name]) => name);
  const message = `the type of a patch must be one of ${allowed.join(", ")}`;
  // Errors of built-in kinds have empty details, those of custom resources have none.
  throw new StatusError("UnsupportedMediaType", message, isCustom ? {} : { details: {} });
}
