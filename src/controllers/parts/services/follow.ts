/** Notifies services of their own changes, and of those of the pods that they select. */

import type { Node } from "../../../api/core/v1/node.ts";
import type { Pod } from "../../../api/core/v1/pod.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import type { Informer, LabelMatcher } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { endpointsDiffer } from "./pod-endpoints.ts";

interface ServiceFollowing {
  readonly services: Informer<Service>;
  readonly pods: Informer<Pod>;
  /** Called with the key of a service. `isPod`: whether a pod changed, so that more changes may follow soon. */
  readonly changed: (key: string, isPod: boolean) => void;
}

type Labels = Readonly<Record<string, string>> | undefined;

export function followServices({ services, pods, changed }: ServiceFollowing): void {
  const enqueue = (namespace: string | undefined, ...labels: Labels[]) => {
    for (const service of services.list(namespace)) {
      if (labels.some((each) => selects(service, each))) changed(keyOf(service), true);
    }
  };
  services.on({
    add: (service) => changed(keyOf(service), false),
    update: (service) => changed(keyOf(service), false),
    delete: (service) => changed(keyOf(service), false),
  });
  pods.on({
    add: ({ metadata }) => enqueue(metadata.namespace, metadata.labels),
    update(pod, old) {
      const { namespace, labels } = pod.metadata;
      if (!sameValue(labels, old.metadata.labels)) enqueue(namespace, labels, old.metadata.labels);
      else if (endpointsDiffer(pod, old)) enqueue(namespace, labels);
    },
    delete: ({ metadata }) => enqueue(metadata.namespace, metadata.labels),
  });
}

interface ZoneFollowing extends Omit<ServiceFollowing, "changed"> {
  readonly nodes: Informer<Node>;
  /** The label of a node with its zone. */
  readonly zoneLabel: string;
  /** Called with the key of a service that has a pod on a node which is new or has moved to another zone. */
  readonly changed: (key: string) => void;
}

/** A pod waits for its node, by which its zone is known. */
export function followZones({ services, pods, nodes, zoneLabel, changed }: ZoneFollowing): void {
  const podsOfNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const enqueueServices = (node: Node) => {
    for (const { metadata } of podsOfNode.get(node.metadata.name ?? "")) {
      for (const service of services.list(metadata.namespace)) {
        if (selects(service, metadata.labels)) changed(keyOf(service));
      }
    }
  };
  nodes.on({
    add: enqueueServices,
    update(node, old) {
      if (node.metadata.labels?.[zoneLabel] !== old.metadata.labels?.[zoneLabel]) enqueueServices(node);
    },
  });
}

/** A service without a selector selects nothing: its endpoints are managed elsewhere. */
function selects(service: Service, labels: Labels): boolean {
  const selector = Object.entries(service.spec?.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => labels?.[key] === value);
}

/** Matches the labels of an informer's entries. */
export function selectorOf(service: Service): LabelMatcher {
  const selector = Object.entries(service.spec?.selector ?? {});
  return { matches: (labels) => selector.length > 0 && selector.every(([key, value]) => labels.get(key) === value) };
}

export const hasSelector = (service: Service): boolean => Object.keys(service.spec?.selector ?? {}).length > 0;
