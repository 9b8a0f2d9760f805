/**
 * Finds what a request for a custom resource refers to. v1.21 serves these paths with other code than those of built-in kinds,
 * and its errors for bad paths have other messages.
 */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Verb } from "../../machinery/schema/kind.ts";
import { badRequest, methodNotAllowed, notFound } from "../../machinery/status/status.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { HandledTarget } from "./target.ts";

const ofObject: ReadonlySet<string> = new Set<Verb>(["get", "update", "patch", "delete"]);
const ofCollection: ReadonlySet<string> = new Set<Verb>(["create", "list", "watch", "deletecollection"]);
/** Verbs that need no namespace, in either scope. */
const acrossNamespaces: ReadonlySet<string> = new Set<Verb>(["list", "watch"]);

/** Undefined: no handler has such a path. */
export function findCustomTarget(kind: BoundKind, info: RequestInfo, method: string): HandledTarget | undefined {
  if (info.underNamespace && !kind.namespaced) return undefined;
  if (kind.namespaced && !info.underNamespace && !acrossNamespaces.has(info.verb)) return undefined;
  const resource = { group: kind.group, kind: kind.resource };
  const namespace = kind.namespaced ? info.namespace : "";
  const verb = info.verb as Verb; // one of those below, or refused
  if (info.subresource !== "") {
    // As in v1.21, what follows the name of the subresource does not count.
    const subresource = kind.subresources.get(info.subresource);
    if (subresource === undefined) throw notFound(resource, info.name);
    if (!subresource.verbs.includes(verb)) throw methodNotAllowed(resource, info.verb);
    return { kind, ref: { namespace, name: info.name }, subresource, verb };
  }
  if (!(ofObject.has(verb) || ofCollection.has(verb)) || method === "HEAD") throw methodNotAllowed(resource, info.verb);
  if (info.watchPath && method !== "GET") throw methodNotAllowed(resource, info.verb);
  if (ofObject.has(verb) && !info.named) throw badRequest("the name of the object must be in the path");
  if (info.named && !info.watchPath && info.name.includes("%")) throw badRequest("a name must not contain '%'");
  // The name of a new object comes from its body only.
  const name = info.named && verb !== "create" ? info.name : "";
  return { kind, ref: { namespace, name }, subresource: undefined, verb };
}
