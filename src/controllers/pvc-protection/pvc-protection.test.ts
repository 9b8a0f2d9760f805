import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { claimKeysOf, mayFreeClaims, usesClaim } from "./reconcile.ts";

const volumes = [
  { name: "a", persistentVolumeClaim: { claimName: "c" } },
  { name: "b", ephemeral: {} },
];
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
const claim = (name: string, ownerReferences?: PersistentVolumeClaim["metadata"]["ownerReferences"]) => ({
  metadata: { namespace: "n", name, ...(ownerReferences ? { ownerReferences } : {}) },
});
const pod = (
  more: { metadata?: Pod["metadata"]; nodeName?: string; phase?: "Running" | "Succeeded" | "Failed" } = {},
): Pod => ({
  metadata: { namespace: "n", name: "p", uid: "u", ...more.metadata },
  spec: { containers: [], volumes, nodeName: more.nodeName ?? "x" },
  ...(more.phase ? { status: { phase: more.phase } } : {}),
});
const shutDown = { deletionTimestamp: "2021-05-01T00:00:00Z", deletionGracePeriodSeconds: 0 };
const ending = { ...shutDown, deletionGracePeriodSeconds: 30 };

describe("whether a pod uses a claim", () => {
  const rows = [
    { why: "a claim that a volume names", pod: pod(), claim: claim("c"), uses: true },
    { why: "another claim", pod: pod(), claim: claim("d"), uses: false },
    { why: "not before the pod is on a node", pod: pod({ nodeName: "" }), claim: claim("c"), uses: false },
    { why: "even after the pod has ended", pod: pod({ phase: "Succeeded" }), claim: claim("c"), uses: true },
    { why: "even while the pod is being deleted", pod: pod({ metadata: ending }), claim: claim("c"), uses: true },
    {
      why: "a named claim, even after the node has shut the pod down",
      pod: pod({ metadata: shutDown }),
      claim: claim("c"),
      uses: true,
    },
    { why: "the claim of an ephemeral volume", pod: pod(), claim: claim("p-b", [owner]), uses: true },
    { why: "not a claim of that name that the pod does not own", pod: pod(), claim: claim("p-b"), uses: false },
    {
      why: "the claim of an ephemeral volume until the pod is shut down",
      pod: pod({ metadata: ending }),
      claim: claim("p-b", [owner]),
      uses: true,
    },
    {
      why: "not the claim of an ephemeral volume after that",
      pod: pod({ metadata: shutDown }),
      claim: claim("p-b", [owner]),
      uses: false,
    },
  ];
  for (const { why, pod, claim, uses } of rows) test(why, () => expect(usesClaim(pod, claim)).toBe(uses));
});

test("the claims of a pod are those that its volumes name, and those of its own volumes", () =>
  expect(claimKeysOf(pod())).toEqual(["n/c", "n/p-b"]));

describe("whether an update of a pod may release a claim", () => {
  const rows = [
    { why: "not while it runs", pod: pod({ phase: "Running" }), frees: false },
    { why: "when it has ended", pod: pod({ phase: "Failed" }), frees: true },
    { why: "when it has no node", pod: pod({ nodeName: "" }), frees: true },
    { why: "when it is being deleted", pod: pod({ metadata: ending }), frees: true },
  ];
  for (const { why, pod, frees } of rows) test(why, () => expect(mayFreeClaims(pod)).toBe(frees));
});
