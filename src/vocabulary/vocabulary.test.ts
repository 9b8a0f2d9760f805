import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { vocabularies, vocabularyByName } from "./by-name.ts";
import { cachedWordsMax, kubernetes } from "./kubernetes.ts";
import { orch } from "./orch.ts";

describe("the orch vocabulary", () => {
  test("renames nothing, and reports that", () => {
    expect([orch.isNeutral, kubernetes.isNeutral]).toEqual([true, false]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([orch.group(text), orch.word(text), orch.field(text)]).toEqual([text, text, text]);
      }),
    );
  });
});

describe("the kubernetes vocabulary", () => {
  test("renames groups that have a domain and no others", () => {
    expect(
      ["", "apps", "policy", "coordination.orch.io", "flowcontrol.apiserver.orch.io"].map(kubernetes.group),
    ).toEqual(["", "apps", "policy", "coordination.k8s.io", "flowcontrol.apiserver.k8s.io"]);
  });

  test("leaves the groups that only orch has", () => {
    const own = ["history.orch.io", "tenancy.orch.io", "simulation.orch.io"];
    expect(own.map(kubernetes.group)).toEqual(own);
    expect(kubernetes.word("/apis/history.orch.io/v1alpha1")).toBe("/apis/history.orch.io/v1alpha1");
    expect(kubernetes.word("queries.orch.io/indexes")).toBe("queries.orch.io/indexes");
  });

  const words = [
    // keys
    ["orch.io/hostname", "kubernetes.io/hostname"],
    ["node.orch.io/not-ready", "node.kubernetes.io/not-ready"],
    ["node.orch.io/", "node.kubernetes.io/"],
    ["node-restriction.orch.io", "node-restriction.kubernetes.io"],
    ["scheduler.alpha.orch.io/node-selector", "scheduler.alpha.kubernetes.io/node-selector"],
    ["rbac.authorization.orch.io/autoupdate", "rbac.authorization.kubernetes.io/autoupdate"],
    ["authentication.orch.io/pod-name", "authentication.kubernetes.io/pod-name"],
    ["orch.io/service-account-token", "kubernetes.io/service-account-token"],
    ["orch.io/metadata.name", "kubernetes.io/metadata.name"],
    ["api-approved.orch.io", "api-approved.kubernetes.io"],
    ["ctl.orch.io/last-applied-configuration", "kubectl.kubernetes.io/last-applied-configuration"],
    ["orchlet.orch.io/x", "kubelet.kubernetes.io/x"],
    ["orch-aggregator.orch.io/automanaged", "kube-aggregator.kubernetes.io/automanaged"],
    // keys that keep the short domain
    ["authorization.orch.io/decision", "authorization.k8s.io/decision"],
    ["orch.io/deprecated", "k8s.io/deprecated"],
    ["orch.io/initial-events-end", "k8s.io/initial-events-end"],
    ["networking.orch.io/service-cidr-finalizer", "networking.k8s.io/service-cidr-finalizer"],
    ["ipallocator.orch.io", "ipallocator.k8s.io"],
    ["authentication.orch.io/legacy-token-manual-secret", "authentication.k8s.io/legacy-token-manual-secret"],
    ["mutation.webhook.admission.orch.io/round_0_index_1", "mutation.webhook.admission.k8s.io/round_0_index_1"],
    ["patch.webhook.admission.orch.io/round_", "patch.webhook.admission.k8s.io/round_"],
    ["deny.image-policy.orch.io/x", "deny.image-policy.k8s.io/x"],
    ["gold.storageclass.storage.orch.io/requests.storage", "gold.storageclass.storage.k8s.io/requests.storage"],
    ["gpu.deviceclass.resource.orch.io/devices", "gpu.deviceclass.resource.k8s.io/devices"],
    ["endpointslice.controller.orch.io", "endpointslice-controller.k8s.io"],
    ["endpointslice-controller.orch.io", "endpointslice-controller.k8s.io"],
    ["endpointslicemirroring-controller.orch.io", "endpointslicemirroring-controller.k8s.io"],
    ["base64url.bearer.authorization.orch.io.", "base64url.bearer.authorization.k8s.io."],
    // groups inside other texts
    ["rbac.authorization.orch.io", "rbac.authorization.k8s.io"],
    ["rbac.authorization.orch.io/v1beta1", "rbac.authorization.k8s.io/v1beta1"],
    ["node.orch.io/v1", "node.k8s.io/v1"],
    ["v1.coordination.orch.io", "v1.coordination.k8s.io"],
    ["/apis/node.orch.io/v1/runtimeclasses", "/apis/node.k8s.io/v1/runtimeclasses"],
    ["snapshot.storage.orch.io", "snapshot.storage.k8s.io"],
    ["custom.metrics.orch.io", "custom.metrics.k8s.io"],
    ["system:certificates.orch.io:orchlet-serving-approver", "system:certificates.k8s.io:kubelet-serving-approver"],
    // signers
    ["orch.io/orch-apiserver-client-orchlet", "kubernetes.io/kube-apiserver-client-kubelet"],
    ["orch.io/orchlet-serving", "kubernetes.io/kubelet-serving"],
    ["orch.io/legacy-unknown", "kubernetes.io/legacy-unknown"],
    // components and objects
    ["orch-system", "kube-system"],
    ["orch-node-lease", "kube-node-lease"],
    ["system:orch-controller-manager", "system:kube-controller-manager"],
    ["system::leader-locking-orch-scheduler", "system::leader-locking-kube-scheduler"],
    ["system:serviceaccount:orch-system:x", "system:serviceaccount:kube-system:x"],
    ["system:orchlet-api-admin", "system:kubelet-api-admin"],
    ["orch", "kubernetes"],
    ["https://orch.default.svc", "https://kubernetes.default.svc"],
    ["orch-root-ca.crt", "kube-root-ca.crt"],
    ["orch-api-access-", "kube-api-access-"],
    ["/var/run/secrets/orch.io/serviceaccount", "/var/run/secrets/kubernetes.io/serviceaccount"],
    ["start-orch-apiserver-admission-initializer", "start-kube-apiserver-admission-initializer"],
    ["orch-apiserver-autoregistration", "kube-apiserver-autoregistration"],
    ["ctl", "kubectl"],
    ["ctl-client-side-apply", "kubectl-client-side-apply"],
    ["ORCH_EXEC_INFO", "KUBERNETES_EXEC_INFO"],
    ["kvstore", "etcd"],
    ["orch_build_info", "kubernetes_build_info"],
    ["orch_feature_enabled", "kubernetes_feature_enabled"],
    ["application/vnd.orch.protobuf;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"],
    ["x-orch-int-or-string", "x-kubernetes-int-or-string"],
    // what is not a name of ours
    ["", ""],
    ["orchestra", "orchestra"],
    ["orch.iovec/x", "orch.iovec/x"],
    ["myorch.io/x", "myorch.io/x"],
    ["example.com/ctl", "example.com/ctl"],
  ] as const;
  for (const [neutral, spoken] of words) {
    test(`says ${JSON.stringify(spoken)} for ${JSON.stringify(neutral)}`, () => {
      expect(kubernetes.word(neutral)).toBe(spoken);
      // The second answer comes from the cache.
      expect(kubernetes.word(neutral)).toBe(spoken);
    });
  }

  test("renames the fields that carry the product's name, and no other", () => {
    expect(
      ["orchletVersion", "orchProxyVersion", "orchletEndpoint", "orchletConfigKey", "constructor"].map(
        kubernetes.field,
      ),
    ).toEqual(["kubeletVersion", "kubeProxyVersion", "kubeletEndpoint", "kubeletConfigKey", "constructor"]);
  });

  test("renames every text, and gives the same results beyond the limit of the cache", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof kubernetes.word(text) === "string"));
    for (let i = 0; i < cachedWordsMax + 10; i++) kubernetes.word(`orch-${i}`);
    expect(kubernetes.word("orch-1")).toBe("kube-1");
  });

  test("does not change texts without any of the names", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/orch|kvstore|ctl/i.test(text));
        expect(kubernetes.word(text)).toBe(text);
      }),
    );
  });
});

test("vocabularies are found by name, and only by their own", () => {
  expect(vocabularies.map(({ name }) => vocabularyByName(name)?.name)).toEqual(["orch", "kubernetes"]);
  expect(["", "constructor", "Orch"].map(vocabularyByName)).toEqual([undefined, undefined, undefined]);
});
