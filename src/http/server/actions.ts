/** The actions that declarations name: a server is constructed only if every one of them has an implementation. */

import { type BoundKind, type Catalog, servedKinds } from "../../machinery/schema/catalog.ts";
import type { Action } from "../../registry/contract/action.ts";

type Actions = ReadonlyMap<string, Action>;

/** Throws an Error that names every path without an implementation. */
export function checkActions(catalog: Catalog, actions: Actions): void {
  const missing = servedKinds(catalog).flatMap((kind) => unanswered(kind, actions));
  if (missing.length > 0) throw new Error(`no action answers ${missing.join(", ")}`);
}

function unanswered(kind: BoundKind, actions: Actions): string[] {
  const path = `${kind.apiVersion} ${kind.resource}`;
  const { action } = kind.declaration;
  const missing = action !== undefined && actions.get(action)?.create === undefined ? [`${path} ("${action}")`] : [];
  for (const { name, action: own, connects, verbs } of kind.subresources.values()) {
    // A create below an object, and a connection, do nothing without an action.
    if (own === undefined && connects === undefined && !verbs.includes("create")) continue;
    const found = own === undefined ? undefined : actions.get(own);
    const answers = connects === undefined ? (found?.create ?? found?.connect) : found?.connect;
    if (answers === undefined) missing.push(`${path}/${name}${own === undefined ? "" : ` ("${own}")`}`);
  }
  return missing;
}

/** The action with a name from a declaration; `checkActions` has checked that it exists. */
export function actionNamed(actions: Actions, name: string): Action {
  const action = actions.get(name);
  if (action === undefined) throw new Error(`there is no action "${name}"`);
  return action;
}
