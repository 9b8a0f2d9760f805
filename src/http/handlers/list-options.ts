/** The options of list, watch and deletecollection. */

import { badRequest } from "../../machinery/status/status.ts";
import type { RegistryListQuery } from "../../registry/contract/registry.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { readInteger } from "./options.ts";

const textOptions = [
  "labelSelector",
  "fieldSelector",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "atTime",
] as const;

/** The registry, which uses selectors and versions, checks them. */
export function readListQuery(info: RequestInfo): RegistryListQuery {
  const { query } = info;
  const namespace = info.underNamespace ? info.namespace : "";
  if (query.empty) return { namespace };
  const read: { -readonly [K in keyof RegistryListQuery]: RegistryListQuery[K] } = { namespace };
  for (const name of textOptions) {
    const value = query.get(name);
    if (value !== undefined && value !== "") read[name] = value;
  }
  const limit = readInteger(query, "limit");
  if (limit !== undefined && limit > 0) read.limit = limit;
  const initial = query.get("sendInitialEvents");
  if (initial !== undefined) read.sendInitialEvents = initial !== "false" && initial !== "0";
  // Checked for every list, although only watches use it.
  readInteger(query, "timeoutSeconds");
  return read;
}

/** A deletecollection must not delete more because part of its query could not be read. */
export function refuseMalformed(info: RequestInfo): void {
  if (info.query.malformed) throw badRequest("the query contains a broken escape");
}
