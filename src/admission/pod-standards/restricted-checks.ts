/** The checks that the level restricted adds to those of baseline, sorted by id. */

import { addedBeyond, procMount } from "./baseline-checks.ts";
import type { CheckedContext, CheckedPod, CheckForm, StandardCheck, Violation } from "./contract.ts";
import { containersNamed, namesWhere, plural, quoted, settersWhere, sorted } from "./words.ts";

const restricted = (id: string, forms: readonly CheckForm[], overrides?: string): StandardCheck => ({
  id,
  level: "restricted",
  forms,
  ...(overrides === undefined ? {} : { overrides }),
});

const notOnWindows = (check: CheckForm["check"]): CheckForm => ({
  since: "1.25",
  check: (pod) => (pod.spec.os?.name === "windows" ? undefined : check(pod)),
});
/** Root in a user namespace of its own is not root on the node. */
const notInUserNamespaces = (check: CheckForm["check"]): CheckForm => ({
  since: "1.35",
  check: (pod) => (pod.spec.hostUsers === false ? undefined : check(pod)),
});

function privilegeEscalation(pod: CheckedPod): Violation | undefined {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersNamed(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

const addable: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);

function capabilities(pod: CheckedPod): Violation | undefined {
  const keeping = namesWhere(pod, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"));
  const added = addedBeyond(pod, addable);
  const told = [
    ...(keeping.length === 0 ? [] : [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return told.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: told.join("; ") };
}

const volumeTypes: ReadonlySet<string> = new Set([
  "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret",
]); // biome-ignore format: one line is easier to read

function volumes({ spec }: CheckedPod): Violation | undefined {
  const typeOf = (volume: Readonly<Record<string, unknown>>) =>
    Object.keys(volume).find((member) => member !== "name" && volume[member] != null) ?? "unknown";
  const found = (spec.volumes ?? []).filter((volume) => !volumeTypes.has(typeOf(volume)));
  if (found.length === 0) return undefined;
  const types = sorted(found.map(typeOf));
  const names = found.map(({ name }) => String(name));
  return {
    reason: "restricted volume types",
    detail:
      `${plural(names.length, "volume", "volumes")} ${quoted(names)} ${plural(names.length, "uses", "use")} ` +
      `restricted volume ${plural(types.length, "type", "types")} ${quoted(types)}`,
  };
}

/** Containers that do not say what the pod does not say either. */
function silentContainers(pod: CheckedPod, says: (context: CheckedContext) => boolean): string[] {
  const { securityContext } = pod.spec;
  if (securityContext !== undefined && says(securityContext)) return [];
  return namesWhere(pod, (container) => container.securityContext === undefined || !says(container.securityContext));
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const explicit = settersWhere(pod, (context) => context.runAsNonRoot === false);
  const silent = silentContainers(pod, (context) => context.runAsNonRoot !== undefined);
  const told = [
    ...(explicit === undefined ? [] : [`${explicit} must not set securityContext.runAsNonRoot=false`]),
    ...(silent.length === 0 ? [] : [`pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true`]),
  ];
  return told.length === 0 ? undefined : { reason: "runAsNonRoot != true", detail: told.join("; ") };
}

function runAsUser(pod: CheckedPod): Violation | undefined {
  const who = settersWhere(pod, (context) => context.runAsUser !== undefined && Number(context.runAsUser) === 0);
  return who === undefined ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

function seccomp(pod: CheckedPod): Violation | undefined {
  const isForbidden = ({ seccompProfile }: CheckedContext) =>
    seccompProfile !== undefined && !["RuntimeDefault", "Localhost"].includes(seccompProfile.type ?? "");
  const who = settersWhere(pod, isForbidden);
  const contexts = [pod.spec, ...pod.containers].map(({ securityContext }) => securityContext ?? {});
  const types = sorted(contexts.filter(isForbidden).map(({ seccompProfile }) => seccompProfile?.type ?? ""));
  const silent = silentContainers(pod, ({ seccompProfile }) => seccompProfile !== undefined);
  const member = "securityContext.seccompProfile.type to";
  const told = [
    ...(who === undefined ? [] : [`${who} must not set ${member} ${quoted(types)}`]),
    ...(silent.length === 0
      ? []
      : [`pod or ${containersNamed(silent)} must set ${member} "RuntimeDefault" or "Localhost"`]),
  ];
  return told.length === 0 ? undefined : { reason: "seccompProfile", detail: told.join("; ") };
}

export const restrictedChecks: readonly StandardCheck[] = [
  restricted("allowPrivilegeEscalation", [
    { since: "1.8", check: privilegeEscalation },
    notOnWindows(privilegeEscalation),
  ]),
  restricted(
    "capabilities_restricted",
    [{ since: "1.22", check: capabilities }, notOnWindows(capabilities)],
    "capabilities_baseline",
  ),
  // Not even in a user namespace.
  restricted("procMount_restricted", [{ since: "1.35", check: procMount }], "procMount"),
  restricted("restrictedVolumes", [{ since: "1.0", check: volumes }], "hostPathVolumes"),
  restricted("runAsNonRoot", [{ since: "1.0", check: runAsNonRoot }, notInUserNamespaces(runAsNonRoot)]),
  restricted("runAsUser", [{ since: "1.23", check: runAsUser }, notInUserNamespaces(runAsUser)]),
  restricted(
    "seccompProfile_restricted",
    [{ since: "1.19", check: seccomp }, notOnWindows(seccomp)],
    "seccompProfile_baseline",
  ),
];
