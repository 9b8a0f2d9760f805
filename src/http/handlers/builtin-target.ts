/** Finds what a request for a built-in kind refers to. */

import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";
import { allVerbs, type Verb } from "../../machinery/schema/kind.ts";
import { badRequest, methodNotAllowed, noSuchPath } from "../../machinery/status/status.ts";
import { methodNotHere } from "../answer/errors.ts";
import { proxySubresource } from "../request/proxied-path.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { HandledTarget } from "./target.ts";

/** As in v1.21; CONNECT and TRACE must not reach a backend. */
const proxiedMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function findBuiltinTarget(kind: BoundKind, info: RequestInfo, method: string): HandledTarget {
  // A cluster-scoped kind has no paths below a namespace, where other rights would apply.
  if (info.underNamespace && !kind.namespaced) throw noSuchPath();
  const { verbs, subresource } = pathOf(kind, info, verbsOf(kind));
  const verb = verbs.find((one) => one === info.verb);
  const namespace = kind.namespaced ? info.namespace : "";
  // Backends answer every method, including those without a verb in the API.
  if (subresource?.name === proxySubresource && subresource.action !== undefined) {
    if (info.name.includes("%")) throw badRequest("a name must not contain '%'");
    if (proxiedMethods.has(method)) return { kind, ref: { namespace, name: info.name }, subresource, verb: "get" };
  }
  if (verb === undefined || method === "HEAD" || (info.watchPath && method !== "GET")) {
    if (info.verb === "watch" && verbs.includes("list")) {
      throw methodNotAllowed({ group: kind.group, kind: kind.resource }, "watch");
    }
    throw methodNotHere();
  }
  // As in v1.21: no object can be stored under such a name.
  if (info.named && !info.watchPath && info.name.includes("%")) throw badRequest("a name must not contain '%'");
  return { kind, ref: { namespace, name: info.named ? info.name : "" }, subresource, verb };
}

/** The verbs of the path; throws 404 if the path has none. */
function pathOf(
  kind: BoundKind,
  info: RequestInfo,
  offered: KindVerbs,
): { verbs: readonly Verb[]; subresource: BoundSubresource | undefined } {
  if (info.subresource !== "") {
    const subresource = kind.subresources.get(info.subresource);
    const hasRest = info.rest.length > 0 && info.subresource !== proxySubresource;
    if (subresource === undefined || hasRest || info.watchPath || misplaced(kind, info)) throw noSuchPath();
    return { verbs: subresource.verbs, subresource };
  }
  const verbs = info.watchPath
    ? offered.watch
    : info.named
      ? offered.object
      : kind.namespaced && !info.underNamespace
        ? offered.everywhere
        : offered.collection;
  if (verbs.length === 0 || (info.named && misplaced(kind, info))) throw noSuchPath();
  return { verbs, subresource: undefined };
}

/** One object of a namespaced kind is found only below its namespace. */
function misplaced(kind: BoundKind, info: RequestInfo): boolean {
  return kind.namespaced && !info.underNamespace;
}

interface KindVerbs {
  readonly object: readonly Verb[];
  readonly collection: readonly Verb[];
  /** Verbs of the collection over all namespaces. */
  readonly everywhere: readonly Verb[];
  /** Verbs of the deprecated paths under /watch/, which a kind that cannot be watched does not have. */
  readonly watch: readonly Verb[];
}

const known = new WeakMap<BoundKind, KindVerbs>();

function verbsOf(kind: BoundKind): KindVerbs {
  let found = known.get(kind);
  if (found === undefined) {
    const { verbs, action } = kind.declaration;
    const all: readonly Verb[] = verbs ?? (action === undefined ? allVerbs : ["create"]);
    const only = (...some: Verb[]) => all.filter((verb) => some.includes(verb));
    found = {
      object: only("get", "update", "patch", "delete"),
      collection: only("create", "list", "watch", "deletecollection"),
      everywhere: only("list").length > 0 ? only("list", "watch") : [],
      watch: only("watch"),
    };
    known.set(kind, found);
  }
  return found;
}
