/** The second stage: definitions of custom resources, webhooks, and servers behind this one. */

import { randomInt } from "node:crypto";
import { createFindEndpoint } from "../../actions/services/find-endpoint.ts";
import { followServiceSubsets } from "../../actions/services/service-subsets.ts";
import type { ServiceSubsets } from "../../api/discovery/service-subset.ts";
import { addressScope } from "../../base/address-scope.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import { createWebhookCaller } from "../../base/webhook-caller.ts";
import { createApiServers } from "../../extensions/aggregation/api-server.ts";
import { followApiServices } from "../../extensions/aggregation/metrics.ts";
import { createRemoteGroups } from "../../extensions/aggregation/remote-groups.ts";
import { serveDefinitions } from "../../extensions/definitions/serve-definitions.ts";
import { planDefinitionName } from "../../testkit/faults/plan-definition.ts";
import type { Core } from "./core.ts";
import type { ServerOptions } from "./options.ts";

/** The address is neither on this machine nor on its link. */
export const isElsewhere: AddressCheck = (address) => addressScope(address) === "global";

export interface Extensions {
  /** An integer from 0 up to, not including, `below`. */
  random(this: void, below: number): number;
  /** The addresses behind services. */
  readonly subsets: ServiceSubsets;
  readonly apiServers: ReturnType<typeof createApiServers>;
  readonly webhookCaller: ReturnType<typeof createWebhookCaller>;
  readonly definitions: ReturnType<typeof serveDefinitions>;
  readonly apiServiceMetrics: ReturnType<typeof followApiServices>;
  readonly remoteGroups: ReturnType<typeof createRemoteGroups>;
}

export function openExtensions(options: ServerOptions, core: Core, lifetime: Lifetime): Extensions {
  const { clock, log, network } = options;
  const traceHeaders = options.tracing?.headers;
  const { registry, catalog, lifecycle } = core;
  const random = options.random ?? ((below: number) => randomInt(below));
  const allows: AddressCheck = network.webhookAddresses ?? isElsewhere;
  const subsets = followServiceSubsets(registry, catalog);
  const findEndpoint = createFindEndpoint({ registry, catalog, subsets, random });
  const { ending } = lifecycle;
  const identity = network.proxyIdentity;
  const apiServers = lifetime.use(createApiServers({ catalog, findEndpoint, allows, ending, identity, traceHeaders }));
  const userAgent = options.api.vocabulary.word("orch-apiserver-admission");
  const webhookCaller = lifetime.use(
    createWebhookCaller({ findService: findEndpoint, allows, userAgent, traceHeaders }),
  );
  const mayServe = (name: string) => options.api.faultPlans === true || name !== planDefinitionName;
  const definitions = lifetime.use(serveDefinitions({ registry, catalog, log, caller: webhookCaller, mayServe }));
  const apiServiceMetrics = lifetime.use(followApiServices(registry, catalog));
  const remoteGroups = lifetime.use(createRemoteGroups({ registry, catalog, servers: apiServers, clock, log }));
  return { random, subsets, apiServers, webhookCaller, definitions, apiServiceMetrics, remoteGroups };
}
