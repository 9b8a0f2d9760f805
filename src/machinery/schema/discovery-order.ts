/** In which order discovery names groups and versions; the first version of a group is the one clients prefer. */

/** In orch's names. The core group comes before all of them, groups that arrive at run time after them. */
export const groupOrder: readonly { readonly group: string; readonly versions: readonly string[] }[] = [
  { group: "", versions: ["v1"] },
  { group: "apiregistration.orch.io", versions: ["v1", "v1beta1"] },
  { group: "apps", versions: ["v1"] },
  { group: "events.orch.io", versions: ["v1", "v1beta1"] },
  { group: "authentication.orch.io", versions: ["v1", "v1beta1"] },
  { group: "authorization.orch.io", versions: ["v1", "v1beta1"] },
  // Not the newest first: v1 is the stable one, and of the two betas the older stays in front.
  { group: "autoscaling", versions: ["v1", "v2beta1", "v2beta2"] },
  { group: "batch", versions: ["v1", "v1beta1"] },
  { group: "certificates.orch.io", versions: ["v1", "v1beta1"] },
  { group: "networking.orch.io", versions: ["v1", "v1beta1"] },
  { group: "extensions", versions: ["v1beta1"] },
  { group: "policy", versions: ["v1", "v1beta1"] },
  { group: "rbac.authorization.orch.io", versions: ["v1", "v1beta1"] },
  { group: "storage.orch.io", versions: ["v1", "v1beta1"] },
  { group: "admissionregistration.orch.io", versions: ["v1", "v1beta1"] },
  { group: "apiextensions.orch.io", versions: ["v1", "v1beta1"] },
  { group: "scheduling.orch.io", versions: ["v1", "v1beta1"] },
  { group: "coordination.orch.io", versions: ["v1", "v1beta1"] },
  { group: "node.orch.io", versions: ["v1", "v1beta1"] },
  { group: "discovery.orch.io", versions: ["v1", "v1beta1"] },
  { group: "flowcontrol.apiserver.orch.io", versions: ["v1beta1"] },
];

/** Longer names are not looked at as versions; they are ordered by the alphabet. */
export const versionCharsMax = 63;

/** Stable before beta before alpha, higher before lower (v10, v2, v11beta2, v1alpha1), anything else last by the alphabet. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function rank(version: string): { stage: number; major: number; minor: number } | undefined {
  if (version.length > versionCharsMax) return undefined;
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
