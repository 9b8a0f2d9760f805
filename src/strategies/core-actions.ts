/** The actions of subresources and virtual resources of the core group, by the names that declarations use. */

import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Action } from "../registry/contract/action.ts";
import { createBinding } from "./pods/binding.ts";
import { createEviction } from "./pods/eviction.ts";
import { createPodConnection, createPodLog, createPodProxy, nodeProxy } from "./pods/node-agents.ts";
import { createServiceProxy } from "./services/proxy.ts";

export function coreActions(catalog: Catalog): ReadonlyMap<string, Action> {
  const binding = createBinding(catalog);
  const connection = createPodConnection(catalog);
  return new Map<string, Action>([
    ["bindings", binding],
    ["pods/binding", binding],
    ["pods/eviction", createEviction(catalog)],
    ["pods/exec", connection],
    ["pods/attach", connection],
    ["pods/portforward", connection],
    ["pods/log", createPodLog(catalog)],
    ["pods/proxy", createPodProxy(catalog)],
    ["nodes/proxy", nodeProxy],
    ["services/proxy", createServiceProxy(catalog)],
  ]);
}
