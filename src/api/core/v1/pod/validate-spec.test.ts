import { describe } from "vitest";
import { check } from "../pod.suite.ts";

describe("the security of a pod", () => {
  check([
    {
      why: "must have valid users and groups",
      spec: { securityContext: { fsGroup: -1, runAsUser: -1, runAsGroup: -1, supplementalGroups: [1, -1] } },
      expected: ["fsGroup", "runAsGroup", "runAsUser", "supplementalGroups[1]"].map(
        (f) => `Invalid securityContext.${f}`,
      ),
    },
    {
      why: "must not share processes both with the host and within the pod",
      spec: { shareProcessNamespace: true, hostPID: true },
      expected: ["Invalid securityContext.shareProcessNamespace"],
    },
    {
      why: "must set each kernel parameter once",
      spec: {
        securityContext: {
          sysctls: [
            { name: "", value: "" },
            { name: "a/b", value: "" },
            { name: "a.b", value: "" },
            { name: "a.b", value: "" },
          ],
          fsGroupChangePolicy: "Never",
        },
      },
      expected: [
        "Duplicate securityContext.sysctls[3].name",
        "Invalid securityContext.sysctls[1].name",
        "NotSupported securityContext.fsGroupChangePolicy",
        "Required securityContext.sysctls[0].name",
      ],
    },
  ]);
});

describe("the volumes of a pod", () => {
  const volumes = (...sources: object[]) => ({ volumes: sources.map((source, i) => ({ name: `v${i}`, ...source })) });
  const at = "volumes[0]";
  const items = [
    { key: "k", path: "../x" },
    { key: "a/b", path: "/x" },
    { key: "", path: "", mode: 0o1000 },
  ];
  const file = (rest: object) => ({ downwardAPI: { items: [{ path: "f", ...rest }] } });
  const projected = (...sources: object[]) => volumes({ projected: { sources } });
  check([
    { why: "are empty directories by default", spec: volumes({}), expected: [] },
    {
      why: "must have unique, valid names",
      spec: { volumes: [{ name: "" }, { name: "A" }, { name: "a" }, { name: "a" }] },
      expected: ["Duplicate volumes[3].name", "Invalid volumes[1].name", "Required volumes[0].name"],
    },
    {
      why: "must have one source",
      spec: volumes({ emptyDir: {}, hostPath: { path: "/a" } }),
      expected: [`Forbidden ${at}.hostPath`],
    },
    {
      why: "with several sources are checked by the first, as in v1.21",
      spec: volumes({ cephfs: { monitors: [] }, downwardAPI: {}, nfs: { server: "s", path: "" } }),
      expected: [
        `Forbidden ${at}.cephFS`,
        `Forbidden ${at}.downwarAPI`,
        `Invalid ${at}.nfs.path`,
        `Required ${at}.nfs.path`,
      ],
    },
    {
      why: "must not have a negative size limit",
      spec: volumes({ emptyDir: { sizeLimit: "-1" } }),
      expected: [`Forbidden ${at}.emptyDir.sizeLimit`],
    },
    {
      why: "of the type hostPath must not contain .. and must have a known type",
      spec: volumes({ hostPath: { path: "/a/../b", type: "Door" } }, { hostPath: { path: "" } }),
      expected: [
        `Invalid ${at}.hostPath.path`,
        `NotSupported ${at}.hostPath.type`,
        "Required volumes[1].hostPath.path",
      ],
    },
    {
      why: "of secrets must have valid, relative paths",
      spec: volumes({ secret: { defaultMode: -1, items } }),
      expected: [
        `Invalid ${at}.secret.defaultMode`,
        `Invalid ${at}.secret.items[0].path`,
        `Invalid ${at}.secret.items[1].path`,
        `Invalid ${at}.secret.items[2].mode`,
        `Required ${at}.secret.items[2].key`,
        `Required ${at}.secret.items[2].path`,
        `Required ${at}.secret.secretName`,
      ],
    },
    {
      why: "of config maps must name one",
      spec: volumes({ configMap: {} }),
      expected: [`Required ${at}.configMap.name`],
    },
    {
      why: "of claims must name one",
      spec: volumes({ persistentVolumeClaim: { claimName: "" } }),
      expected: [`Required ${at}.persistentVolumeClaim.claimName`],
    },
    {
      why: "of Git repositories must have a URL and a relative directory",
      spec: volumes({ gitRepo: { repository: "", directory: "../a" } }),
      expected: [`Invalid ${at}.gitRepo.directory`, `Required ${at}.gitRepo.repository`],
    },
    {
      why: "of the downward API may be labels",
      spec: volumes(file({ fieldRef: { fieldPath: "metadata.labels" } })),
      expected: [],
    },
    { why: "of the downward API must name a field", spec: volumes(file({})), expected: [`Required ${at}.downwardAPI`] },
    {
      why: "of the downward API must name a container for resources",
      spec: volumes(file({ resourceFieldRef: { resource: "limits.cpu" } })),
      expected: [`Required ${at}.downwardAPI.resourceFieldRef.containerName`],
    },
    {
      why: "of several sources must not repeat a path",
      spec: projected(
        { secret: { name: "s", items: [{ key: "k", path: "f" }] } },
        { configMap: { name: "m", items: [{ key: "k", path: "f" }] } },
      ),
      expected: [`Invalid ${at}.projected`],
    },
    {
      why: "of tokens must have a path, and last at least ten minutes",
      spec: projected({ serviceAccountToken: { path: "", expirationSeconds: 599 } }),
      expected: [
        // No account is admitted here that could have one.
        `Forbidden ${at}.projected.sources[0].serviceAccountToken`,
        `Invalid ${at}.projected.sources[0].serviceAccountToken.expirationSeconds`,
        `Required ${at}.projected.path`,
      ],
    },
    {
      why: "of NFS must have a server and an absolute path",
      spec: volumes({ nfs: { server: "", path: "a" } }),
      expected: [`Invalid ${at}.nfs.path`, `Required ${at}.nfs.server`],
    },
  ]);
});

describe("where and how a pod runs", () => {
  const node = (requiredDuringSchedulingIgnoredDuringExecution: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } },
  });
  const required = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const term = `${required}.nodeSelectorTerms[0]`;
  const spread = (rest: object) => ({ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", ...rest });
  check([
    {
      why: "must have known policies",
      spec: { restartPolicy: "Twice", dnsPolicy: "Mine", preemptionPolicy: "Polite" },
      expected: ["NotSupported dnsPolicy", "NotSupported preemptionPolicy", "NotSupported restartPolicy"],
    },
    {
      why: "must have valid names",
      spec: {
        nodeName: "A",
        serviceAccountName: "A",
        hostname: "a.b",
        subdomain: "a.b",
        priorityClassName: "A",
        runtimeClassName: "A",
      },
      expected: [
        "hostname",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
        "serviceAccountName",
        "subdomain",
      ].map((f) => `Invalid ${f}`),
    },
    {
      why: "must have a positive deadline",
      spec: { activeDeadlineSeconds: 0 },
      expected: ["Invalid activeDeadlineSeconds"],
    },
    {
      why: "must have valid labels in the node selector",
      spec: { nodeSelector: { "a b": "c" } },
      expected: ["Invalid nodeSelector"],
    },
    {
      why: "must have valid tolerations",
      spec: {
        tolerations: [
          { operator: "Equal" },
          { key: "a", operator: "Exists", value: "v" },
          { key: "a", operator: "Like" },
          { key: "a", effect: "NoSchedule", tolerationSeconds: 1 },
          { key: "a", effect: "NoFun" },
        ],
      },
      expected: [
        "Invalid tolerations[0].operator",
        "Invalid tolerations[1].operator",
        "Invalid tolerations[3].effect",
        "NotSupported tolerations[2].operator",
        "NotSupported tolerations[4].effect",
      ],
    },
    {
      why: "must have terms in required node affinity",
      spec: node({ nodeSelectorTerms: [] }),
      expected: [`Required ${required}.nodeSelectorTerms`],
    },
    {
      why: "must have valid requirements",
      spec: node({
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "a", operator: "In" },
              { key: "a", operator: "Exists", values: ["v"] },
              { key: "a", operator: "Gt", values: ["1", "2"] },
              { key: "a b", operator: "Near" },
            ],
            matchFields: [
              { key: "metadata.name", operator: "In", values: ["A"] },
              { key: "spec", operator: "Exists" },
            ],
          },
        ],
      }),
      expected: [
        `Forbidden ${term}.matchExpressions[1].values`,
        `Invalid ${term}.matchExpressions[3].key`,
        `Invalid ${term}.matchExpressions[3].operator`,
        `Invalid ${term}.matchFields[0].values[0]`,
        `Invalid ${term}.matchFields[1].key`,
        `Invalid ${term}.matchFields[1].operator`,
        `Required ${term}.matchExpressions[0].values`,
        `Required ${term}.matchExpressions[2].values`,
      ],
    },
    {
      why: "must have a weight and a topology key in pod anti-affinity",
      spec: {
        affinity: {
          podAntiAffinity: { [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: "", namespaces: ["A"] } }] },
        },
      },
      expected: [
        `Invalid affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.namespace`,
        `Invalid affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey`,
        `Invalid affinity.podAntiAffinity.${preferred}[0].weight`,
        `Required affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey`,
      ],
    },
    {
      why: "must have unique spread constraints with a topology key",
      spec: {
        topologySpreadConstraints: [
          spread({}),
          spread({}),
          spread({ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Cry" }),
        ],
      },
      expected: [
        "Duplicate topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
        "Invalid topologySpreadConstraints[2].maxSkew",
        "NotSupported topologySpreadConstraints[2].whenUnsatisfiable",
        "Required topologySpreadConstraints[2].topologyKey",
      ],
    },
    {
      why: "must have valid names in readiness gates",
      spec: { readinessGates: [{ conditionType: "a b" }] },
      expected: ["Invalid readinessGates[0].conditionType"],
    },
    {
      why: "needs a DNS configuration with policy None",
      spec: { dnsPolicy: "None" },
      expected: ["Required dnsConfig"],
    },
    {
      why: "must have name servers with DNS policy None",
      spec: { dnsPolicy: "None", dnsConfig: {} },
      expected: ["Required dnsConfig.nameservers"],
    },
    {
      why: "must have valid name servers, search domains and options",
      spec: { dnsConfig: { nameservers: ["here"], searches: ["a.b.", "A"], options: [{ value: "v" }] } },
      expected: ["Invalid dnsConfig.nameservers[0]", "Invalid dnsConfig.searches[1]", "Required dnsConfig.options[0]"],
    },
    {
      why: "has a limit of name servers and search domains",
      spec: { dnsConfig: { nameservers: Array(4).fill("10.0.0.1"), searches: Array(7).fill("a") } },
      expected: ["Invalid dnsConfig.nameservers", "Invalid dnsConfig.searches"],
    },
    {
      why: "has a limit on the length of search domains",
      spec: { dnsConfig: { searches: ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(63), "e"] } },
      expected: ["Invalid dnsConfig.searches"],
    },
    {
      why: "must have valid host aliases",
      spec: { hostAliases: [{ ip: "here", hostnames: ["A"] }] },
      expected: ["Invalid hostAliases.hostnames", "Invalid hostAliases.ip"],
    },
    {
      why: "must have valid resources in its overhead",
      spec: { overhead: { pods: "1", cpu: "-1" } },
      expected: ["Invalid overhead.limits[cpu]", "Invalid overhead.limits[pods]"],
    },
    {
      why: "may spread by any key",
      spec: { topologySpreadConstraints: [spread({ topologyKey: "a b" })] },
      expected: [],
    },
  ]);
});
