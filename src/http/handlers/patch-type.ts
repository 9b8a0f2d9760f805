/** The patch types by their media types. */

import { type PatchType, patchMediaTypes } from "../../machinery/patch/media-types.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { unsupportedMediaType } from "../../machinery/status/status.ts";
import type { Exchange } from "../contract/exchange.ts";
import { refuseCompressed } from "../negotiation/content-type.ts";
import { requestConventionsOf } from "./conventions.ts";

const patchTypes: ReadonlyMap<string, PatchType> = new Map(
  (Object.keys(patchMediaTypes) as PatchType[]).map((type) => [patchMediaTypes[type], type]), // the table's own keys
);

/**
 * Throws 415. Unlike other bodies, a patch must name its type, exactly as above. Without merge keys for lists a kind has no
 * strategic merge, and without the gate ServerSideApply there is no apply.
 */
export function readPatchType(exchange: Exchange, kind: BoundKind): PatchType {
  refuseCompressed(exchange);
  const header = exchange.header("content-type") ?? "";
  const semicolon = header.indexOf(";");
  const type = patchTypes.get((semicolon < 0 ? header : header.slice(0, semicolon)).trim());
  const has = (one: PatchType) =>
    one === "apply"
      ? kind.family.environment.gates.enabled("ServerSideApply")
      : one !== "strategic" || kind.codec.mergeStrategically !== undefined;
  if (type !== undefined && has(type)) return type;
  const allowed = [...patchTypes].filter(([, one]) => has(one)).map(([name]) => name);
  throw unsupportedMediaType(allowed, requestConventionsOf(kind).patchTypeDetails);
}
