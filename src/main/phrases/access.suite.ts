/** Refusals for want of a right. */

import { jane, merge, node, type Phrases, pod, pods, type Stand } from "./stand.suite.ts";

export const accessPhrases = ({ ask, group, names }: Stand): Phrases => [
  [
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    () => ask("GET", pods, undefined, { as: jane }),
  ],
  [
    `nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope`,
    () => ask("GET", "/api/v1/nodes", undefined, { as: jane }),
  ],
  [
    "is attempting to grant RBAC permissions not currently held",
    () =>
      ask(
        "POST",
        `/apis/${group("rbac.authorization.orch.io")}/v1/clusterroles`,
        { metadata: { name: "more" }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
        { as: { name: "roles" } },
      ),
  ],
  [
    '"csr" is forbidden: user not permitted to approve requests with signerName "example.com/s"',
    () =>
      ask(
        "PUT",
        `/apis/${group("certificates.orch.io")}/v1/certificatesigningrequests/csr/approval`,
        {
          metadata: { name: "csr" },
          spec: { signerName: "example.com/s", request: "", usages: [] },
          status: { conditions: [{ type: "Approved", status: "True" }] },
        },
        { as: { name: "roles" } },
      ),
  ],
  [
    "is not allowed to modify labels",
    () =>
      ask(
        "PATCH",
        "/api/v1/nodes/n1",
        { metadata: { labels: { [names.word("node-restriction.orch.io/a")]: "b" } } },
        { ...merge, as: node("n1") },
      ),
  ],
  [
    "can only create pods with spec.nodeName set to itself",
    () =>
      ask("POST", pods, pod("m", { nodeName: "n2" }, { annotations: { [names.word("orch.io/config.mirror")]: "x" } }), {
        as: node("n1"),
      }),
  ],
];
