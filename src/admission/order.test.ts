import { expect, test } from "vitest";
import { createWorld } from "./admission.suite.ts";
import { admissionOrder, choosePlugins } from "./order.ts";

/** The configuration of plugins that do not start without one. */
const configuration = {
  EventRateLimit: {
    apiVersion: "eventratelimit.admission.orch.io/v1alpha1",
    kind: "Configuration",
    limits: [{ type: "Server", qps: 1, burst: 1 }],
  },
  ImagePolicyWebhook: { imagePolicy: { kubeConfigFile: "client.conf" } },
};
const client = {
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "c" } }],
  clusters: [{ name: "c", cluster: { server: "https://images.example.com" } }],
};
const files = { "/etc/client.conf": JSON.stringify(client) };
const { context } = createWorld([], "orch", { configuration, files });
const names = (enable: string[], disable: string[]) =>
  choosePlugins({ enable, disable }, context).map(({ name }) => name);

test("default plugins run in the documented order", () => {
  expect(names([], [])).toEqual([
    "NamespaceLifecycle",
    "LimitRanger",
    "ServiceAccount",
    "TaintNodesByCondition",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
  ]);
});

test("a default plugin can be turned off", () => {
  expect(names([], ["ServiceAccount", "LimitRanger"])).not.toContain("ServiceAccount");
});

test("an unknown plugin and a contradiction are refused", () => {
  expect(() => names(["NamespaceLifecyle"], [])).toThrow(/there is no admission plugin "NamespaceLifecyle"/);
  expect(() => names(["Priority"], ["Priority"])).toThrow(/both enabled and disabled/);
});

test("plugins of the embedding program run before webhooks and quotas, even if those are turned off", () => {
  const own = [{ name: "Mine", handles: () => true }];
  const chosen = choosePlugins({ enable: [], disable: ["MutatingAdmissionWebhook"], own }, context);
  const order = chosen.map(({ name }) => name);
  expect(order.slice(order.indexOf("Mine") - 1)).toEqual([
    "DefaultIngressClass",
    "Mine",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
  ]);
});

test("each entry of the list has the name of its plugin", () => {
  for (const { name, create } of admissionOrder) expect(create(context).name).toBe(name);
});
