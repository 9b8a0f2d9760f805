/** Finds what a resource request refers to: the kind, the object, the subresource, and whether the path supports the verb. */

import { type BoundKind, type BoundSubresource, type Catalog, isCustom } from "../../machinery/schema/catalog.ts";
import { allVerbs, type Verb } from "../../machinery/schema/kind.ts";
import { badRequest, methodNotAllowed, noSuchPath } from "../../machinery/status/status.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { methodNotHere } from "../answer/errors.ts";
import type { Call } from "../request/call.ts";
import { proxySubresource } from "../request/proxied-path.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { Context } from "../server/context.ts";
import { findCustomTarget } from "./custom-target.ts";

/** As in v1.21; CONNECT and TRACE must not reach a backend. */
const proxiedMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export interface Target {
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly subresource: BoundSubresource | undefined;
  readonly verb: Verb;
}

/** Undefined: this server does not serve a group of that name. Throws 404 or 405 for everything else without a handler. */
export function findTarget(context: Context, call: Call): Target | undefined {
  const { info } = call;
  const kind = context.catalog.byResource(info.group, info.version, info.resource);
  if (kind === undefined) {
    if (info.group !== "" && !hasBuiltinKinds(context.catalog, info.group)) return undefined;
    throw noSuchPath();
  }
  call.kind = kind;
  if (isCustom(kind)) return findCustomTarget(kind, info, call.exchange.method);
  // A cluster-scoped kind has no paths below a namespace, where other rights would apply.
  if (info.underNamespace && !kind.namespaced) throw noSuchPath();
  const offered = verbsOf(kind);
  const { verbs, subresource } = pathOf(kind, info, offered);
  const verb = verbs.find((one) => one === info.verb);
  // Backends answer every method, including those without a verb in the API.
  if (subresource?.name === proxySubresource && subresource.action !== undefined) {
    if (info.name.includes("%")) throw badRequest("a name must not contain '%'");
    const namespace = kind.namespaced ? info.namespace : "";
    if (proxiedMethods.has(call.exchange.method))
      return { kind, ref: { namespace, name: info.name }, subresource, verb: "get" };
  }
  if (verb === undefined || call.exchange.method === "HEAD" || (info.watchPath && call.exchange.method !== "GET")) {
    if (info.verb === "watch" && verbs.includes("list")) {
      throw methodNotAllowed({ group: kind.group, kind: kind.resource }, "watch");
    }
    throw methodNotHere();
  }
  // As in v1.21: no object can be stored under such a name.
  if (info.named && !info.watchPath && info.name.includes("%")) throw badRequest("a name must not contain '%'");
  const namespace = kind.namespaced ? info.namespace : "";
  return { kind, ref: { namespace, name: info.named ? info.name : "" }, subresource, verb };
}

/** In a group that only definitions serve, a path that no definition serves has no handler. */
function hasBuiltinKinds(catalog: Catalog, group: SpokenGroup): boolean {
  const listing = catalog.groups().find((one) => one.group === group);
  return (
    listing?.versions.some((version) => catalog.ofGroupVersion(group, version).some((kind) => !isCustom(kind))) ?? false
  );
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
  /** Of the collection over all namespaces. */
  readonly everywhere: readonly Verb[];
  /** Of the deprecated paths under /watch/, which a kind that cannot be watched does not have. */
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

/** The kind that a subresource reads and returns. Undefined: the parent's own kind. */
export function acceptedKind(context: Context, { subresource }: Pick<Target, "subresource">): BoundKind | undefined {
  const accepts = subresource?.accepts;
  if (accepts === undefined) return undefined;
  const found = context.catalog.byKind(accepts.group, accepts.version, accepts.kind);
  if (found === undefined) throw new Error(`no kind ${accepts.group}/${accepts.version} ${accepts.kind} is declared`);
  return found;
}
