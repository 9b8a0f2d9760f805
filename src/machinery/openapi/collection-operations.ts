/** The operations at the paths of a kind: list, create, delete all, and watch as it was before it was a parameter. */

import type { BoundKind } from "../schema/catalog.ts";
import type { Verb } from "../schema/kind.ts";
import type { Definitions } from "./definitions.ts";
import { type PlannedOperation, pathsOf, type SharedParts, subjectOf } from "./operations.ts";
import { body } from "./parameters.ts";

export function operationsOfCollection(
  kind: BoundKind,
  verbs: ReadonlySet<Verb>,
  definitions: Definitions,
  { parameters, types, deleteOptions, status }: SharedParts,
): PlannedOperation[] {
  const { base, collection: path } = pathsOf(kind);
  const subject = subjectOf(kind);
  const object = definitions.referToKind(kind);
  const operations: PlannedOperation[] = [];
  if (verbs.has("list")) {
    const list = {
      method: "get" as const,
      action: "list",
      description: `list objects of kind ${kind.kind}`,
      parameters: parameters.list,
      produces: types.list,
      answer: definitions.referToList(kind),
    };
    operations.push({ ...list, path, id: ["list", subject] });
    if (kind.namespaced)
      operations.push({ ...list, path: `${base}/${kind.resource}`, id: ["list", `${kind.kind}ForAllNamespaces`] });
  }
  if (verbs.has("create"))
    operations.push({
      path,
      method: "post",
      action: "post",
      id: ["create", subject],
      description: `create an object of kind ${kind.kind}`,
      parameters: [body(object, true), ...parameters.write],
      answer: object,
      codes: [200, 201, 202],
    });
  if (verbs.has("deletecollection"))
    operations.push({
      path,
      method: "delete",
      action: "deletecollection",
      id: ["delete", `Collection${subject}`],
      description: `delete all objects of kind ${kind.kind} that match`,
      parameters: [body(deleteOptions, false), ...parameters.deleteCollection],
      answer: status,
    });
  return operations;
}

/** Paths from before watch was a parameter; they are still served. */
export function operationsOfWatch(kind: BoundKind, { parameters, types, watchEvent }: SharedParts): PlannedOperation[] {
  const { base, collection, item } = pathsOf(kind);
  const old = (path: string) => `${base}/watch${path.slice(base.length)}`;
  const watch = {
    method: "get" as const,
    description: `watch objects of kind ${kind.kind}; use the watch parameter of a list instead`,
    deprecated: true,
    produces: types.list,
    answer: watchEvent,
    parameters: parameters.list,
  };
  const ofAll = { ...watch, action: "watchlist" };
  const operations: PlannedOperation[] = [
    { ...ofAll, path: old(collection), id: ["watch", `${subjectOf(kind)}List`] },
    { ...watch, action: "watch", path: old(item), id: ["watch", subjectOf(kind)] },
  ];
  if (kind.namespaced)
    operations.push({
      ...ofAll,
      path: old(`${base}/${kind.resource}`),
      id: ["watch", `${kind.kind}ListForAllNamespaces`],
    });
  return operations;
}
