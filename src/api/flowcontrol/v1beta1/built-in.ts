/**
 * The priority levels and flow schemas that every server has. Two of each are mandatory: everything falls through to
 * `catch-all`, and `exempt` keeps administrators able to repair the rest.
 */

import type { Environment } from "../../../machinery/schema/environment.ts";

/** Since this release an annotation says of each object whether the server keeps its spec as it is here. */
export const followedSince = "1.23";
export const followedAnnotation = "apf.orch.io/autoupdate-spec";

export interface BuiltIn {
  readonly name: string;
  readonly spec: object;
}

const everyone = ["system:unauthenticated", "system:authenticated"];
const everyRequest = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const groups = (...names: string[]) => names.map((name) => ({ kind: "Group", group: { name } }));
const users = (...names: string[]) => names.map((name) => ({ kind: "User", user: { name } }));
const accountsOf = (namespace: string, name = "*") => [{ kind: "ServiceAccount", serviceAccount: { namespace, name } }];

const limited = (shares: number, limitResponse: object, lent: object = {}) => ({
  type: "Limited",
  limited: { assuredConcurrencyShares: shares, limitResponse, ...lent },
});
const queue = (queues: number, handSize: number) => ({
  type: "Queue",
  queuing: { queues, handSize, queueLengthLimit: 50 },
});

export const mandatoryLevels: ReadonlyMap<string, object> = new Map<string, object>([
  ["exempt", { type: "Exempt" }],
  ["catch-all", limited(5, { type: "Reject" })],
]);

export const mandatorySchemas: ReadonlyMap<string, object> = new Map<string, object>([
  ["exempt", schema("exempt", 1, undefined, { subjects: groups("system:masters"), ...everyRequest })],
  ["catch-all", schema("catch-all", 10_000, "ByUser", { subjects: groups(...everyone), ...everyRequest })],
]);

export function builtInLevels({ since }: Environment): readonly BuiltIn[] {
  const canLend = since("1.26");
  const lends = (lendablePercent: number) => (canLend ? { lendablePercent } : {});
  const exempt = canLend ? { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } : {};
  return [
    ...[...mandatoryLevels].map(([name, spec]) => ({ name, spec: name === "exempt" ? { ...spec, ...exempt } : spec })),
    { name: "system", spec: limited(30, queue(64, 6), lends(33)) },
    ...(since("1.23") ? [{ name: "node-high", spec: limited(40, queue(64, 6), lends(25)) }] : []),
    { name: "leader-election", spec: limited(10, queue(16, 4), lends(0)) },
    { name: "workload-high", spec: limited(40, queue(128, 6), lends(50)) },
    { name: "workload-low", spec: limited(100, queue(128, 6), lends(90)) },
    { name: "global-default", spec: limited(20, queue(128, 6), lends(50)) },
  ];
}

export function builtInSchemas({ vocabulary: { word, group }, since }: Environment): readonly BuiltIn[] {
  const system = word("orch-system");
  const managers = users(word("system:orch-controller-manager"), word("system:orch-scheduler"));
  const verbs = ["get", "create", "update"];
  const coordination = group("coordination.orch.io");
  // Leaders were elected with other kinds as well, once.
  const leases = (namespaces: readonly string[]) => [
    ...(since("1.27") ? [] : [{ verbs, apiGroups: [""], resources: ["endpoints", "configmaps"], namespaces }]),
    { verbs, apiGroups: [coordination], resources: ["leases"], namespaces: ["*"] },
  ];
  const ofNodes = [
    { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
    { verbs: ["*"], apiGroups: [coordination], resources: ["leases"], namespaces: ["*"] },
  ];
  const ofEndpoints = [{ verbs, apiGroups: [""], resources: ["endpoints"], namespaces: ["*"] }];
  const endpointControllers = ["endpoint-controller", "endpointslicemirroring-controller"].flatMap((name) =>
    accountsOf(system, name),
  );
  return [
    ...[...mandatorySchemas].map(([name, spec]) => ({ name, spec })),
    {
      name: "probes",
      spec: schema("exempt", 2, undefined, {
        subjects: groups(...everyone),
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      }),
    },
    {
      name: "system-leader-election",
      spec: schema("leader-election", 100, "ByUser", {
        subjects: [...managers, ...accountsOf(system)],
        resourceRules: leases([system]),
      }),
    },
    {
      name: "workload-leader-election",
      spec: schema("leader-election", 200, "ByUser", {
        subjects: accountsOf(system),
        resourceRules: leases(["*"]),
      }),
    },
    ...(since("1.23")
      ? [
          {
            name: "endpoint-controller",
            spec: schema("workload-high", 150, "ByUser", {
              subjects: [...managers.slice(0, 1), ...endpointControllers],
              resourceRules: ofEndpoints,
            }),
          },
          {
            name: "system-node-high",
            spec: schema("node-high", 400, "ByUser", {
              subjects: groups("system:nodes"),
              resourceRules: ofNodes,
            }),
          },
        ]
      : []),
    {
      name: "system-nodes",
      spec: schema("system", 500, "ByUser", { subjects: groups("system:nodes"), ...everyRequest }),
    },
    ...["orch-controller-manager", "orch-scheduler"].map((name) => ({
      name: word(name),
      spec: schema("workload-high", 800, "ByNamespace", {
        subjects: users(word(`system:${name}`)),
        ...everyRequest,
      }),
    })),
    {
      name: word("orch-system-service-accounts"),
      spec: schema("workload-high", 900, "ByNamespace", { subjects: accountsOf(system), ...everyRequest }),
    },
    {
      name: "service-accounts",
      spec: schema("workload-low", 9000, "ByUser", { subjects: groups("system:serviceaccounts"), ...everyRequest }),
    },
    {
      name: "global-default",
      spec: schema("global-default", 9900, "ByUser", { subjects: groups(...everyone), ...everyRequest }),
    },
  ];
}

/** The spec of a schema of one rule. */
function schema(level: string, matchingPrecedence: number, by: string | undefined, rule: object): object {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [rule],
  };
}
