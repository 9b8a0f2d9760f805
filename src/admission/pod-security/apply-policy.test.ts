import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { PodSecurityPolicySpec } from "../../api/policy/v1beta1/security-policy-spec.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { orch } from "../../vocabulary/orch.ts";
import { applyPolicy } from "./apply-policy.ts";

const environment = plainEnvironment({ vocabulary: orch, gates: { enabled: () => true }, allowPrivileged: true });
/** Allows everything for which there is a rule. */
const open: PodSecurityPolicySpec = {
  seLinux: { rule: "RunAsAny" },
  runAsUser: { rule: "RunAsAny" },
  fsGroup: { rule: "RunAsAny" },
  supplementalGroups: { rule: "RunAsAny" },
  volumes: ["*"],
};

interface Row {
  readonly why: string;
  readonly policy?: Partial<PodSecurityPolicySpec>;
  readonly policyAnnotations?: Record<string, string>;
  /** The spec of the pod; a container "c" is there unless it has containers. */
  readonly spec?: object;
  readonly annotations?: Record<string, string>;
  /** The fields of the pod's spec and annotations that change. Absent: nothing changes. */
  readonly becomes?: object;
  readonly annotated?: Record<string, string>;
  /** Fields that are refused. */
  readonly refused?: string[];
}

const c = (more: object = {}) => ({ name: "c", ...more });
const secured = (securityContext: object) => ({ containers: [c({ securityContext })] });
const podSecured = (securityContext: object) => ({ securityContext });
const context = "spec.containers[0].securityContext";
const range = (min: number, max: number) => [{ min, max }];

function check(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { why, policy, policyAnnotations = {}, spec = {}, annotations = {}, ...expected } of rows) {
      test(why, () => {
        const given = { containers: [c()], ...spec };
        const pod = structuredClone({ metadata: { name: "p", annotations }, spec: given }) as Pod;
        const errors = applyPolicy(
          { name: "policy", annotations: policyAnnotations, spec: { ...open, ...policy } },
          pod,
          environment,
        );
        expect(errors.map(({ field }) => field)).toEqual(expected.refused ?? []);
        expect(pod.spec).toEqual({ ...given, ...expected.becomes });
        expect(pod.metadata.annotations).toEqual({ ...annotations, ...expected.annotated });
      });
    }
  });
}

check("run as user", [
  {
    why: "MustRunAs fills in the first id of the first range",
    policy: { runAsUser: { rule: "MustRunAs", ranges: [...range(5, 7), ...range(1, 2)] } },
    becomes: secured({ runAsUser: 5 }),
  },
  {
    why: "the user of the pod applies to its containers, and is checked for each",
    policy: { runAsUser: { rule: "MustRunAs", ranges: range(5, 7) } },
    spec: podSecured({ runAsUser: 8 }),
    refused: [`${context}.runAsUser`],
  },
  {
    why: "a user of a container wins over that of the pod; any range will do",
    policy: { runAsUser: { rule: "MustRunAs", ranges: [...range(5, 7), ...range(9, 9)] } },
    spec: { ...podSecured({ runAsUser: 8 }), ...secured({ runAsUser: 9 }) },
  },
  {
    why: "MustRunAsNonRoot lets the node check the user of the image",
    policy: { runAsUser: { rule: "MustRunAsNonRoot" } },
    becomes: secured({ runAsNonRoot: true }),
  },
  {
    why: "MustRunAsNonRoot refuses root, and permission to be root",
    policy: { runAsUser: { rule: "MustRunAsNonRoot" } },
    spec: { containers: [c({ securityContext: { runAsUser: 0 } }), c({ securityContext: { runAsNonRoot: false } })] },
    refused: [`${context}.runAsUser`, "spec.containers[1].securityContext.runAsNonRoot"],
  },
  {
    why: "MustRunAsNonRoot accepts another user",
    policy: { runAsUser: { rule: "MustRunAsNonRoot" } },
    spec: podSecured({ runAsUser: 1 }),
  },
]);

check("groups", [
  {
    why: "MustRunAs fills in all three",
    policy: {
      fsGroup: { rule: "MustRunAs", ranges: range(1, 2) },
      supplementalGroups: { rule: "MustRunAs", ranges: range(3, 4) },
      runAsGroup: { rule: "MustRunAs", ranges: range(5, 6) },
    },
    becomes: { ...podSecured({ fsGroup: 1, supplementalGroups: [3] }), ...secured({ runAsGroup: 5 }) },
  },
  {
    why: "MayRunAs fills in nothing",
    policy: {
      fsGroup: { rule: "MayRunAs", ranges: range(1, 2) },
      supplementalGroups: { rule: "MayRunAs", ranges: range(3, 4) },
      runAsGroup: { rule: "MayRunAs", ranges: range(5, 6) },
    },
  },
  {
    why: "each given group must be in the ranges",
    policy: {
      fsGroup: { rule: "MayRunAs", ranges: range(1, 2) },
      supplementalGroups: { rule: "MustRunAs", ranges: range(3, 4) },
      runAsGroup: { rule: "MayRunAs", ranges: range(5, 6) },
    },
    spec: podSecured({ fsGroup: 3, supplementalGroups: [3, 5, 4], runAsGroup: 7 }),
    refused: ["spec.securityContext.supplementalGroups", "spec.securityContext.fsGroup", `${context}.runAsGroup`],
  },
]);

const labels = { user: "u", role: "r", type: "t", level: "s0:c1,c2" };
check("SELinux", [
  {
    why: "MustRunAs fills in the labels of the policy, which containers inherit",
    policy: { seLinux: { rule: "MustRunAs", seLinuxOptions: labels } },
    becomes: podSecured({ seLinuxOptions: labels }),
  },
  {
    why: "the order of categories does not matter",
    policy: { seLinux: { rule: "MustRunAs", seLinuxOptions: labels } },
    spec: podSecured({ seLinuxOptions: { ...labels, level: "s0:c2,c1" } }),
  },
  {
    why: "other labels of the pod and of a container are refused",
    policy: { seLinux: { rule: "MustRunAs", seLinuxOptions: labels } },
    spec: {
      ...podSecured({ seLinuxOptions: { ...labels, level: "s1:c1,c2" } }),
      ...secured({ seLinuxOptions: { ...labels, type: "x" } }),
    },
    refused: ["spec.securityContext.seLinuxOptions.level", `${context}.seLinuxOptions.type`],
  },
]);

const seccompAllowed = "seccomp.security.alpha.orch.io/allowedProfileNames";
const seccompDefault = "seccomp.security.alpha.orch.io/defaultProfileName";
const seccompPod = "seccomp.security.alpha.orch.io/pod";
const seccompContainer = "container.seccomp.security.alpha.orch.io/c";
check("seccomp", [
  { why: "without a list a pod needs no profile" },
  {
    why: "without a list a profile is refused, of the pod and so of its containers",
    annotations: { [seccompPod]: "unconfined" },
    refused: [`metadata.annotations[${seccompPod}]`, `metadata.annotations[${seccompContainer}]`],
  },
  {
    why: "with a list there must be one of them",
    policyAnnotations: { [seccompAllowed]: "localhost/a" },
    refused: [`metadata.annotations[${seccompPod}]`, `metadata.annotations[${seccompContainer}]`],
  },
  {
    why: "the default is filled in; the two names of the runtime's profile are equivalent",
    policyAnnotations: { [seccompAllowed]: "docker/default", [seccompDefault]: "runtime/default" },
    annotated: { [seccompPod]: "runtime/default" },
  },
  {
    why: "a field becomes the annotation of old clients, and is checked like it",
    policyAnnotations: { [seccompAllowed]: "localhost/a" },
    spec: podSecured({ seccompProfile: { type: "Localhost", localhostProfile: "a" } }),
    annotated: { [seccompPod]: "localhost/a" },
  },
  {
    why: "a container is checked by its own profile",
    policyAnnotations: { [seccompAllowed]: "runtime/default", [seccompDefault]: "runtime/default" },
    spec: secured({ seccompProfile: { type: "Unconfined" } }),
    annotated: { [seccompPod]: "runtime/default" },
    refused: [`metadata.annotations[${seccompContainer}]`],
  },
  {
    why: "a star allows everything",
    policyAnnotations: { [seccompAllowed]: "*" },
    annotations: { [seccompPod]: "unconfined", [seccompContainer]: "localhost/x" },
  },
]);

const armorAllowed = "apparmor.security.beta.orch.io/allowedProfileNames";
const armorDefault = "apparmor.security.beta.orch.io/defaultProfileName";
const armor = "container.apparmor.security.beta.orch.io/c";
check("AppArmor", [
  { why: "without a list everything is allowed", annotations: { [armor]: "localhost/x" } },
  {
    why: "the default is filled in for each container",
    policyAnnotations: { [armorAllowed]: "runtime/default", [armorDefault]: "runtime/default" },
    annotated: { [armor]: "runtime/default" },
  },
  {
    why: "with a list there must be one of them",
    policyAnnotations: { [armorAllowed]: "runtime/default" },
    refused: [`metadata.annotations[${armor}]`],
  },
  {
    why: "another profile is refused",
    policyAnnotations: { [armorAllowed]: "runtime/default" },
    annotations: { [armor]: "unconfined" },
    refused: [`metadata.annotations[${armor}]`],
  },
]);

check("capabilities", [
  {
    why: "defaults are added and required ones dropped, sorted",
    policy: { defaultAddCapabilities: ["B"], requiredDropCapabilities: ["D", "C"], allowedCapabilities: ["A"] },
    spec: secured({ capabilities: { add: ["A"] } }),
    becomes: secured({ capabilities: { add: ["A", "B"], drop: ["C", "D"] } }),
  },
  {
    why: "a default that the container drops is not added",
    policy: { defaultAddCapabilities: ["B"] },
    spec: secured({ capabilities: { drop: ["B"] } }),
  },
  {
    why: "other capabilities may not be added",
    spec: secured({ capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } }),
    refused: [`${context}.capabilities.add`],
  },
  { why: "a star allows all", policy: { allowedCapabilities: ["*"] }, spec: secured({ capabilities: { add: ["A"] } }) },
]);

check("privileges", [
  { why: "privileged", spec: secured({ privileged: true }), refused: [`${context}.privileged`] },
  { why: "privileged where it is allowed", policy: { privileged: true }, spec: secured({ privileged: true }) },
  {
    why: "privileged init and ephemeral containers",
    spec: {
      initContainers: [c({ securityContext: { privileged: true } })],
      ephemeralContainers: [c({ securityContext: { privileged: true } })],
    },
    refused: [
      "spec.initContainers[0].securityContext.privileged",
      "spec.ephemeralContainers[0].securityContext.privileged",
    ],
  },
  { why: "an unmasked /proc", spec: secured({ procMount: "Unmasked" }), refused: [`${context}.procMount`] },
  {
    why: "an unmasked /proc where it is allowed",
    policy: { allowedProcMountTypes: ["Unmasked"] },
    spec: secured({ procMount: "Unmasked" }),
  },
  {
    why: "a read-only root is filled in",
    policy: { readOnlyRootFilesystem: true },
    becomes: secured({ readOnlyRootFilesystem: true }),
  },
  {
    why: "a writable root is refused",
    policy: { readOnlyRootFilesystem: true },
    spec: secured({ readOnlyRootFilesystem: false }),
    refused: [`${context}.readOnlyRootFilesystem`],
  },
  {
    why: "escalation is turned off where it is not allowed",
    policy: { allowPrivilegeEscalation: false },
    becomes: secured({ allowPrivilegeEscalation: false }),
  },
  {
    why: "requested escalation is refused",
    policy: { allowPrivilegeEscalation: false },
    spec: secured({ allowPrivilegeEscalation: true }),
    refused: [`${context}.allowPrivilegeEscalation`],
  },
  {
    why: "the default of escalation is filled in",
    policy: { defaultAllowPrivilegeEscalation: false },
    becomes: secured({ allowPrivilegeEscalation: false }),
  },
]);

check("the node", [
  {
    why: "its namespaces",
    spec: { hostNetwork: true, hostPID: true, hostIPC: true },
    refused: ["spec.securityContext.hostNetwork", "spec.securityContext.hostPID", "spec.securityContext.hostIPC"],
  },
  { why: "its namespaces where they are allowed", policy: { hostPID: true }, spec: { hostPID: true } },
  {
    why: "its ports",
    policy: { hostPorts: [{ min: 80, max: 81 }] },
    spec: { containers: [c({ ports: [{ hostPort: 80 }, { hostPort: 82 }, { containerPort: 1 }] })] },
    refused: ["spec.containers[0].ports[1].hostPort"],
  },
  {
    why: "kernel parameters: the safe ones, and what the policy allows and does not forbid",
    policy: { allowedUnsafeSysctls: ["kernel.msg*", "net.x"], forbiddenSysctls: ["kernel.msgmax"] },
    spec: podSecured({
      sysctls: ["kernel.shm_rmid_forced", "kernel.msgmni", "kernel.msgmax", "net.xy"].map((name) => ({ name })),
    }),
    refused: ["spec.securityContext.sysctls[2]", "spec.securityContext.sysctls[3]"],
  },
  {
    why: "a safe parameter that is forbidden",
    policy: { forbiddenSysctls: ["*"] },
    spec: podSecured({ sysctls: [{ name: "kernel.shm_rmid_forced" }] }),
    refused: ["spec.securityContext.sysctls[0]"],
  },
]);

const token = {
  name: "t",
  projected: {
    sources: [
      { serviceAccountToken: { path: "token" } },
      { configMap: { name: "orch-root-ca.crt" } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
};
check("volumes", [
  {
    why: "types by name",
    policy: { volumes: ["configMap", "cephFS"] },
    spec: {
      volumes: [
        { name: "a", configMap: {} },
        { name: "b", secret: {} },
        { name: "c", cephfs: {} },
      ],
    },
    refused: ["spec.volumes[1]"],
  },
  {
    why: "none",
    policy: { volumes: [] },
    spec: { volumes: [{ name: "a", emptyDir: {} }] },
    refused: ["spec.volumes[0]"],
  },
  { why: "secret covers the token of the account", policy: { volumes: ["secret"] }, spec: { volumes: [token] } },
  {
    why: "secret does not cover other projected sources",
    policy: { volumes: ["secret"] },
    spec: {
      volumes: [{ name: "t", projected: { sources: [...token.projected.sources, { configMap: { name: "other" } }] } }],
    },
    refused: ["spec.volumes[0]"],
  },
  {
    why: "host paths by whole elements",
    policy: { allowedHostPaths: [{ pathPrefix: "/foo/" }] },
    spec: { volumes: ["/foo", "/foo/bar", "/food", "/"].map((path) => ({ name: "v", hostPath: { path } })) },
    refused: ["spec.volumes[2].hostPath.pathPrefix", "spec.volumes[3].hostPath.pathPrefix"],
  },
  {
    why: "host paths that may only be read",
    policy: { allowedHostPaths: [{ pathPrefix: "/foo", readOnly: true }, { pathPrefix: "/foo/rw" }] },
    spec: {
      volumes: [
        { name: "ro", hostPath: { path: "/foo/a" } },
        { name: "rw", hostPath: { path: "/foo/rw" } },
      ],
      containers: [c({ volumeMounts: [{ name: "rw" }, { name: "ro", readOnly: true }, { name: "ro" }] })],
    },
    refused: ["spec.containers[0].volumeMounts[2].readOnly"],
  },
  {
    why: "drivers",
    policy: { allowedFlexVolumes: [{ driver: "a" }], allowedCSIDrivers: [{ name: "b" }] },
    spec: {
      volumes: [
        { name: "1", flexVolume: { driver: "a" } },
        { name: "2", flexVolume: { driver: "x" } },
        { name: "3", csi: { driver: "b" } },
        { name: "4", csi: { driver: "x" } },
      ],
    },
    refused: ["spec.volumes[1].driver", "spec.volumes[3].csi.driver"],
  },
]);

check("runtime classes", [
  {
    why: "the default is filled in",
    policy: { runtimeClass: { allowedRuntimeClassNames: ["a"], defaultRuntimeClassName: "a" } },
    becomes: { runtimeClassName: "a" },
  },
  {
    why: "another class is refused",
    policy: { runtimeClass: { allowedRuntimeClassNames: ["a"] } },
    spec: { runtimeClassName: "b" },
    refused: ["spec.runtimeClassName"],
  },
  {
    why: "a star allows all",
    policy: { runtimeClass: { allowedRuntimeClassNames: ["*"] } },
    spec: { runtimeClassName: "b" },
  },
]);
