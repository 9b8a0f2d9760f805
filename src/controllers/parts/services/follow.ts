/** Notifies services of their own changes, and of those of the pods that they select. */

import type { Node } from "../../../api/core/v1/node.ts";
import type { Pod } from "../../../api/core/v1/pod.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import type { Informer, LabelMatcher } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { isPodFinished } from "../pods/state.ts";
import { followSelectors } from "../selectors/selectors.ts";
import { endpointsDiffer } from "./pod-endpoints.ts";

interface ServiceFollowing {
  readonly services: Informer<Service>;
  readonly pods: Informer<Pod>;
  /** Called with the key of a service. `isPod`: whether a pod changed, so that more changes may follow soon. */
  readonly changed: (key: string, isPod: boolean) => void;
}

type Labels = Readonly<Record<string, string>> | undefined;

export function followServices({ services, pods, changed }: ServiceFollowing): void {
  const selectors = followSelectors(services, selectorOf);
  const enqueue = (namespace: string | undefined, ...labels: Labels[]) => {
    for (const key of selectors.matching(namespace, ...labels)) changed(key, true);
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
  const selectors = followSelectors(services, selectorOf);
  const podsOfNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const enqueueServices = (node: Node) => {
    for (const { metadata } of podsOfNode.get(node.metadata.name ?? "")) {
      for (const key of selectors.matching(metadata.namespace, metadata.labels)) changed(key);
    }
  };
  nodes.on({
    add: enqueueServices,
    update(node, old) {
      if (node.metadata.labels?.[zoneLabel] !== old.metadata.labels?.[zoneLabel]) enqueueServices(node);
    },
  });
}

/** The pods that a service selects. `ended`: with those that have ended; without them, they cost nothing however many they are. */
export function createPodSelection(pods: Informer<Pod>, ended: boolean): (service: Service) => readonly Pod[] {
  if (ended) return (service) => pods.select(service.metadata.namespace, selectorOf(service));
  const running = pods.index("unfinished", (pod) => (isPodFinished(pod) ? [] : [pod.metadata.namespace ?? ""]));
  return (service) => running.select(service.metadata.namespace ?? "", selectorOf(service));
}

/** A service without a selector selects nothing: its endpoints are managed elsewhere. */
const selectorOf = (service: Service): LabelMatcher =>
  labelSelectorFromObject(hasSelector(service) ? { matchLabels: service.spec?.selector } : undefined);

export const hasSelector = (service: Service): boolean => Object.keys(service.spec?.selector ?? {}).length > 0;
