/** The vocabulary of existing clients: the name that replaces each of orch's names. */

import { apiGroups } from "./api-groups.ts";
import type { Vocabulary } from "./vocabulary.ts";

const neutralDomain = "orch.io";
/** The domain of API groups and of a few older keys. */
const shortDomain = "k8s.io";
/** The domain of labels, annotations, taints, finalizers, Secret types and signers. */
const longDomain = "kubernetes.io";

/** Groups of older versions, of configuration files and of kinds that are never served. */
const otherGroups = [
  "admission",
  "apiserver",
  "audit",
  "auditregistration",
  "config",
  "imagepolicy",
  "meta",
  "metrics",
  "policy",
  "settings",
];

/** Without their domain. A name that ends in one of them (`leases.coordination`, `v1.storage`) means the group too. */
const groups: ReadonlySet<string> = new Set([
  ...apiGroups
    .filter(({ group }) => group.endsWith(`.${neutralDomain}`))
    .map(({ group }) => group.slice(0, -neutralDomain.length - 1)),
  ...otherGroups,
]);

/**
 * Bare names that are not a group and still keep the short domain: controllers that sign slices, protocols of streams. A version
 * ("v4.orch.io") is one of these protocols too.
 */
const shortBare: ReadonlySet<string> = new Set([
  "endpointslice-controller",
  "endpointslice.controller",
  "endpointslicemirroring-controller",
  "endpointslicemirroring.controller",
  "image-policy",
  "channel",
  "binary",
  "portforward",
]);

/** Prefixes of keys that keep the short domain, with everything that ends in `.PREFIX`. */
const shortPrefixes: ReadonlySet<string> = new Set([
  "admission",
  "client.authentication",
  "csi.storage",
  "deviceclass.resource",
  "image-policy",
  "storageclass.storage",
]);

/** Keys that keep the short domain although others of their prefix do not. */
const shortKeys: ReadonlySet<string> = new Set([
  "/deprecated",
  "/removed-release",
  "authentication/legacy-token",
  "authorization/decision",
  "authorization/reason",
]);

const fields: ReadonlyMap<string, string> = new Map([
  ["orchletVersion", "kubeletVersion"],
  ["orchProxyVersion", "kubeProxyVersion"],
  ["orchletEndpoint", "kubeletEndpoint"],
  ["orchletConfigKey", "kubeletConfigKey"],
]);

/** Longer texts are renamed each time; a full cache is emptied. Both keep a stream of unusual words from using up memory. */
const cachedWordCharsMax = 256;
export const cachedWordsMax = 4096;

const cache = new Map<string, string>();

export const kubernetes: Vocabulary = {
  name: "kubernetes",
  isNeutral: false,

  group(neutral) {
    return neutral.endsWith(`.${neutralDomain}`) ? neutral.slice(0, -neutralDomain.length) + shortDomain : neutral;
  },

  word(neutral) {
    const known = cache.get(neutral);
    if (known !== undefined) return known;
    const renamed = renameWord(neutral);
    if (neutral.length <= cachedWordCharsMax) {
      if (cache.size >= cachedWordsMax) cache.clear();
      cache.set(neutral, renamed);
    }
    return renamed;
  },

  field: (neutral) =>
    fields.get(neutral) ??
    (neutral.startsWith("x-orch-") ? `x-kubernetes-${neutral.slice("x-orch-".length)}` : neutral),

  metric: (neutral) =>
    neutral === "orch_build_info" ? "kubernetes_build_info" : neutral.replace(/^kvstore_(?=[a-z])/, "etcd_"),

  extensionPrefix: "x-kubernetes-",
  rulesExtension: undefined,
  protobufMediaType: "application/vnd.kubernetes.protobuf",
  encryptedPrefix: "k8s:enc:",
  definitionPrefix: "io.k8s.",
  tool: "kubectl",
};

const version = /^v[1-9][0-9]{0,3}(?:(?:alpha|beta)[1-9][0-9]{0,3})?$/;

/** A text is runs of name characters with separators between: "system" ":" "certificates.orch.io" ":" "orchlet-serving". */
function renameWord(text: string): string {
  if (text === "ctl" || text.startsWith("ctl-")) return `kube${text}`;
  return text.replace(/[A-Za-z0-9._-]+/g, (run: string, at: number) => {
    const end = at + run.length;
    return renameDomain(
      run,
      text[end] === "/" ? nextSegment(text, end + 1) : undefined,
      text.slice(Math.max(0, at - 5), at),
    );
  });
}

/** The text between `start` and the next separator: the name of a key, or the version of a group. */
function nextSegment(text: string, start: number): string {
  const match = /[^A-Za-z0-9._-]/g;
  match.lastIndex = start;
  return text.slice(start, match.exec(text)?.index);
}

/** `key`: what follows the run after a slash; `before`: the text before it ("apis/" means that a group follows). */
function renameDomain(run: string, key: string | undefined, before: string): string {
  const at = domainIndex(run);
  if (at < 0) return renameName(run);
  const prefix = run.slice(0, Math.max(0, at - 1));
  const isShort =
    key === undefined || version.test(key) || before.endsWith("apis/")
      ? endsInOneOf(groups, prefix) || endsInOneOf(shortBare, prefix) || (key === undefined && version.test(prefix))
      : endsInOneOf(shortPrefixes, prefix) || shortKeys.has(`${prefix}/${key}`);
  const domain = isShort ? shortDomain : longDomain;
  return `${renamePrefix(prefix, isShort)}${at > 0 ? "." : ""}${domain}${run.slice(at + neutralDomain.length)}`;
}

/** Where the domain begins as whole parts between dots; -1: nowhere. */
function domainIndex(run: string): number {
  for (let at = run.indexOf(neutralDomain); at >= 0; at = run.indexOf(neutralDomain, at + 1)) {
    const after = run[at + neutralDomain.length];
    if ((at === 0 || run[at - 1] === ".") && (after === undefined || after === ".")) return at;
  }
  return -1;
}

/** Whether the last one or two parts of `prefix` are one of `names`; none of them has more. */
function endsInOneOf(names: ReadonlySet<string>, prefix: string): boolean {
  const last = prefix.lastIndexOf(".");
  if (last < 0) return names.has(prefix);
  return names.has(prefix.slice(last + 1)) || names.has(prefix.slice(prefix.lastIndexOf(".", last - 1) + 1));
}

function renamePrefix(prefix: string, isShort: boolean): string {
  if (prefix === "ctl") return "kubectl";
  // The two controllers that sign slices write a dash where orch has a dot.
  return isShort
    ? prefix.replace(/^(endpointslice|endpointslicemirroring)\.controller$/, "$1-controller")
    : renameName(prefix);
}

/** A run without a domain in it: component and object names, media types, metrics, environment variables. */
function renameName(run: string): string {
  if (run.startsWith("ORCH_")) return `KUBERNETES_${run.slice(5)}`;
  if (run.startsWith("orch_")) return `kubernetes_${run.slice(5)}`;
  if (run.startsWith("x-orch-")) return `x-kubernetes-${run.slice(7)}`;
  if (run.startsWith("X-Orch-")) return `X-Kubernetes-${run.slice(7)}`;
  if (run.startsWith("io.orch.")) return `io.k8s.${run.slice(8)}`;
  return run.replace(/(?<![A-Za-z0-9_])(orch|orchlet|kvstore)(?![A-Za-z0-9_])/g, (name: string, _group, at: number) => {
    if (name === "orchlet") return "kubelet";
    if (name === "kvstore") return "etcd";
    const after = run.slice(at + name.length);
    if (after.startsWith("-")) return "kube";
    // The service of the API itself, alone or as a host, and the media type; "orch.example" belongs to another owner.
    const isProduct = after === "" || after.startsWith(".default") || run.startsWith("vnd.");
    return isProduct ? "kubernetes" : name;
  });
}
