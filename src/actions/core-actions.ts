/** The actions of subresources and virtual resources of the core group, by the names that declarations use. */

import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Action } from "../registry/contract/action.ts";
import { createBinding } from "./pods/binding.ts";
import { createEviction } from "./pods/eviction.ts";
import { createPodConnection, createPodLog } from "./pods/node-agents.ts";
import type { NodeAddressOptions } from "./proxy/agent-address.ts";
import { createNodeProxy } from "./proxy/node-proxy.ts";
import { createPodProxy } from "./proxy/pod-proxy.ts";
import { createServiceProxy, type ServiceProxyOptions } from "./proxy/service-proxy.ts";
import { withOwnership } from "./with-ownership.ts";

type CoreActionsOptions = NodeAddressOptions & ServiceProxyOptions & { readonly catalog: Catalog };

export function coreActions(options: CoreActionsOptions): ReadonlyMap<string, Action> {
  const { catalog } = options;
  const binding = createBinding(catalog);
  const connection = createPodConnection(options);
  return new Map<string, Action>([
    ["bindings", withOwnership(binding)],
    ["pods/binding", withOwnership(binding, "binding")],
    ["pods/eviction", withOwnership(createEviction(catalog), "eviction")],
    ["pods/exec", connection],
    ["pods/attach", connection],
    ["pods/portforward", connection],
    ["pods/log", createPodLog(options)],
    ["pods/proxy", createPodProxy(catalog)],
    ["nodes/proxy", createNodeProxy(options)],
    ["services/proxy", createServiceProxy(options)],
  ]);
}
