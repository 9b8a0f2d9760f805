/** Refusals of addresses, of connections to pods, and of evictions. */

import { type Phrases, pods, type Stand, services } from "./stand.suite.ts";

export const podsAndServicesPhrases = ({ ask }: Stand): Phrases => [
  [
    "provided port is already allocated",
    () =>
      ask("POST", services, {
        metadata: { name: "n2" },
        spec: { type: "NodePort", ports: [{ port: 1, nodePort: 30001 }] },
      }),
  ],
  [
    "provided port is not in the valid range. The range of valid ports is 30000-32767",
    () =>
      ask("POST", services, {
        metadata: { name: "n3" },
        spec: { type: "NodePort", ports: [{ port: 1, nodePort: 80 }] },
      }),
  ],
  [
    "the provided IP (1.2.3.4) is not in the valid range",
    () => ask("POST", services, { metadata: { name: "n3" }, spec: { clusterIP: "1.2.3.4", ports: [{ port: 1 }] } }),
  ],
  [
    "provided IP is already allocated",
    () => ask("POST", services, { metadata: { name: "n3" }, spec: { clusterIP: "10.0.0.77", ports: [{ port: 1 }] } }),
  ],
  ["pod there does not have a host assigned", () => ask("POST", `${pods}/there/exec?command=a`)],
  ["container none is not valid for pod there", () => ask("GET", `${pods}/there/log?container=none`)],
  ["a container name must be specified for pod two, choose one of: [a b]", () => ask("GET", `${pods}/two/log`)],
  [
    "Cannot evict pod as it would violate the pod's disruption budget.",
    () =>
      ask("POST", `${pods}/kept/eviction`, {
        apiVersion: "policy/v1beta1",
        kind: "Eviction",
        metadata: { name: "kept" },
      }),
  ],
];
