/** Policies as operators of v1.21 have them: that of its documentation, and the shape of the one that a large cloud ships. */

import { describe, expect, test } from "vitest";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import type { AuditedRequest, AuditedTarget, AuditLevel } from "./contract.ts";
import { parsePolicy } from "./policy.ts";

type Asked = Partial<AuditedTarget> & { readonly by?: string; readonly groups?: readonly string[] };

const request = ({ by = "ann", groups = ["system:authenticated"], ...more }: Asked): AuditedRequest => ({
  auditId: "1",
  uri: "/",
  target: {
    verb: "get",
    isResource: true,
    path: "/",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "default",
    name: "",
    ...more,
  },
  user: { name: by, uid: "", groups, extra: new Map() },
  sourceIps: [],
  userAgent: "",
  receivedMs: 0,
  recordedMs: 0,
});

const documented = (group: (neutral: string) => string, word: (neutral: string) => string) => `
apiVersion: ${group("audit.orch.io")}/v1
kind: Policy
omitStages:
  - "RequestReceived"
rules:
  - level: RequestResponse
    resources:
    - group: ""
      resources: ["pods"]
  - level: Metadata
    resources:
    - group: ""
      resources: ["pods/log", "pods/status"]
  - level: None
    resources:
    - group: ""
      resources: ["configmaps"]
      resourceNames: ["controller-leader"]
  - level: None
    users: ["${word("system:orch-proxy")}"]
    verbs: ["watch"]
    resources:
    - group: ""
      resources: ["endpoints", "services"]
  - level: None
    userGroups: ["system:authenticated"]
    nonResourceURLs:
    - "/api*"
    - "/version"
  - level: Request
    resources:
    - group: ""
      resources: ["configmaps"]
    namespaces: ["${word("orch-system")}"]
  - level: Metadata
    resources:
    - group: ""
      resources: ["secrets", "configmaps"]
  - level: Request
    resources:
    - group: ""
    - group: "extensions"
  - level: Metadata
    omitStages:
      - "RequestReceived"
`;

const ofCloud = (group: (neutral: string) => string, word: (neutral: string) => string) => {
  const known = ["apps", "batch", "extensions", "policy", "autoscaling"]
    .concat(["networking.orch.io", "rbac.authorization.orch.io", "storage.orch.io"].map(group))
    .map((name) => `{group: "${name}"}`)
    .join(", ");
  const system = word("orch-system");
  return `
apiVersion: ${group("audit.orch.io")}/v1
kind: Policy
rules:
  - {level: None, users: ["${word("system:orch-proxy")}"], verbs: [watch],
     resources: [{group: "", resources: [endpoints, services, services/status]}]}
  - {level: None, users: ["system:unsecured"], namespaces: [${system}], verbs: [get],
     resources: [{group: "", resources: [configmaps]}]}
  - {level: None, users: [kubelet], verbs: [get], resources: [{group: "", resources: [nodes, nodes/status]}]}
  - {level: None, userGroups: ["system:nodes"], verbs: [get],
     resources: [{group: "", resources: [nodes, nodes/status]}]}
  - {level: None, users: ["system:orch-controller-manager", "${word("system:orch-scheduler")}"], verbs: [get, update],
     namespaces: [${system}], resources: [{group: "", resources: [endpoints]}]}
  - {level: None, users: ["system:apiserver"], verbs: [get],
     resources: [{group: "", resources: [namespaces, namespaces/status, namespaces/finalize]}]}
  - {level: None, nonResourceURLs: ["/healthz*", "/version", "/swagger*"]}
  - {level: None, resources: [{group: "", resources: [events]}]}
  - {level: Request, users: [kubelet, "system:node-problem-detector"], verbs: [update, patch],
     resources: [{group: "", resources: [nodes/status, pods/status]}], omitStages: [RequestReceived]}
  - {level: Request, users: ["system:serviceaccount:${system}:namespace-controller"], verbs: [deletecollection],
     omitStages: [RequestReceived]}
  - {level: Metadata, resources: [{group: "", resources: [secrets, configmaps, serviceaccounts/token]},
     {group: "${group("authentication.orch.io")}", resources: [tokenreviews]}], omitStages: [RequestReceived]}
  - {level: Request, verbs: [get, list, watch], resources: [{group: ""}, ${known}], omitStages: [RequestReceived]}
  - {level: RequestResponse, resources: [{group: ""}, ${known}], omitStages: [RequestReceived]}
  - {level: Metadata, omitStages: [RequestReceived]}
`;
};

describe.each(["orch", "kubernetes"] as const)("in the vocabulary %s", (name) => {
  const { group, word } = vocabularyOf(name);
  const read = (text: string) => parsePolicy(decodeYaml(Buffer.from(text)), group("audit.orch.io"));
  const system = word("orch-system");
  const path = (to: string): Asked => ({
    isResource: false,
    path: to,
    group: "",
    version: "",
    resource: "",
    namespace: "",
  });

  test.each<[string, Asked, AuditLevel]>([
    ["pods", { verb: "create" }, "RequestResponse"],
    ["a log of a pod", { subresource: "log" }, "Metadata"],
    ["another subresource of a pod", { subresource: "exec", verb: "create" }, "Request"],
    ["the lock of a controller", { resource: "configmaps", name: "controller-leader", verb: "update" }, "None"],
    ["a proxy that watches", { resource: "endpoints", verb: "watch", by: word("system:orch-proxy") }, "None"],
    ["a proxy that gets", { resource: "endpoints", by: word("system:orch-proxy") }, "Request"],
    ["discovery", path("/apis/apps"), "None"],
    ["discovery of strangers", { ...path("/apis"), groups: ["system:unauthenticated"] }, "Metadata"],
    ["the version", path("/version"), "None"],
    ["a longer path than the version", path("/version/x"), "Metadata"],
    ["a config map of the system", { resource: "configmaps", namespace: system }, "Request"],
    ["another config map", { resource: "configmaps" }, "Metadata"],
    ["a secret", { resource: "secrets", verb: "create" }, "Metadata"],
    ["an ingress of old", { group: "extensions", resource: "ingresses" }, "Request"],
    ["a deployment", { group: "apps", resource: "deployments" }, "Metadata"],
  ])("the documented policy: %s", (_, asked, level) => {
    const verdict = read(documented(group, word)).check(request(asked));
    expect([verdict.level, verdict.omitStages.has("RequestReceived")]).toEqual([level, true]);
  });

  test.each<[string, Asked, AuditLevel, boolean]>([
    ["a proxy that watches", { by: word("system:orch-proxy"), verb: "watch", resource: "services" }, "None", false],
    ["a node that reads itself", { groups: ["system:nodes"], resource: "nodes", namespace: "" }, "None", false],
    ["a health check", path("/healthz/etcd"), "None", false],
    ["an old schema", path("/swagger.json"), "None", false],
    ["metrics", path("/metrics"), "Metadata", true],
    ["an event", { resource: "events", verb: "create" }, "None", false],
    [
      "a status by a node",
      { by: "kubelet", resource: "nodes", subresource: "status", verb: "patch", namespace: "" },
      "Request",
      true,
    ],
    [
      "the deletion of a collection",
      { by: `system:serviceaccount:${system}:namespace-controller`, verb: "deletecollection" },
      "Request",
      true,
    ],
    ["a secret", { resource: "secrets", verb: "create" }, "Metadata", true],
    ["a token", { resource: "serviceaccounts", subresource: "token", verb: "create" }, "Metadata", true],
    [
      "a review of a token",
      { group: group("authentication.orch.io"), resource: "tokenreviews", verb: "create", namespace: "" },
      "Metadata",
      true,
    ],
    ["a list", { verb: "list" }, "Request", true],
    [
      "a role that is written",
      { group: group("rbac.authorization.orch.io"), resource: "roles", verb: "update" },
      "RequestResponse",
      true,
    ],
    ["a custom resource", { group: "example.com", resource: "carts", verb: "create" }, "Metadata", true],
  ])("the policy of a cloud: %s", (_, asked, level, omits) => {
    const verdict = read(ofCloud(group, word)).check(request(asked));
    expect([verdict.level, verdict.omitStages.has("RequestReceived")]).toEqual([level, omits]);
  });
});
