/** Fills a server with the objects of another one as a dump has them, with their status. */

import { encodeJson } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import {
  applyAll,
  findServedKind,
  type LoadTarget,
  objectPath,
  type Refused,
  refusalLines,
  refusalOf,
} from "../../testkit/load/load.ts";
import { readObjects, type SourcedObject } from "../../testkit/load/read-objects.ts";

export interface LoadedDump {
  readonly count: number;
  /** What the server refused or does not know, one line for each object. */
  readonly skipped: readonly string[];
  /** Objects that are there without the status that the dump has, because the server refused it. */
  readonly withoutStatus: readonly string[];
}

/**
 * Objects are created like those of any client, so each has a new uid and the present time. Namespaces that the dump only mentions are
 * created too: cluster-info dump leaves them out.
 */
export async function fillFromDump(target: LoadTarget, path: string): Promise<LoadedDump> {
  const objects = await readObjects(path);
  const refused = await applyAll(target, [...missingNamespaces(objects), ...objects]);
  const isRefused = new Set(refused.map(({ one }) => one));
  const refusedStatuses: Refused[] = [];
  for (const one of objects) {
    const why = isRefused.has(one) ? undefined : await writeStatus(target, one.object);
    if (why !== undefined) refusedStatuses.push({ one, why });
  }
  const count = objects.length - refused.length;
  return { count, skipped: refusalLines(refused), withoutStatus: refusalLines(refusedStatuses) };
}

function missingNamespaces(objects: readonly SourcedObject[]): SourcedObject[] {
  const named = new Set<string>();
  for (const { object } of objects) {
    const { namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
    if (typeof namespace === "string") named.add(namespace);
  }
  for (const { object } of objects)
    if (object["kind"] === "Namespace" && isObject(object["metadata"]))
      named.delete(String(object["metadata"]["name"]));
  return [...named].map((name) => ({
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    source: undefined,
  }));
}

/** The server writes the status of definitions itself. Undefined: it was accepted, or there is none; otherwise why it was not. */
async function writeStatus(
  { catalog, fetch }: LoadTarget,
  object: SourcedObject["object"],
): Promise<string | undefined> {
  const kind = findServedKind(catalog, object);
  if (kind === undefined || kind.kind === "CustomResourceDefinition") return undefined;
  if (!isObject(object["status"]) || !kind.subresources.has("status")) return undefined;
  const answer = await fetch(`${objectPath(kind, object)}/status`, {
    method: "PATCH",
    headers: { "content-type": patchMediaTypes.merge },
    body: encodeJson({ status: object["status"] }),
  });
  return refusalOf(answer);
}
