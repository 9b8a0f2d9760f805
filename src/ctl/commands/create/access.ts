/** `create role`, `clusterrole`, `rolebinding` and `clusterrolebinding`. */

import { type FlagValues, string, stringArray, strings } from "../../../base/flags/flag.ts";
import type { Context } from "../../context.ts";
import { CtlError, UnknownType } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import type { Json } from "../../json.ts";
import { generator, pairsOf } from "./generator.ts";

const ruleFlags = {
  verb: strings("The verbs: get, list, watch, create, update, patch, delete, …"),
  resource: strings("The resources: pods, deployments.apps, pods/status"),
  "resource-name": stringArray("The names of the objects; default: all"),
};

type RuleContext = Context<FlagValues<typeof ruleFlags>>;

const knownVerbs = new Set(
  "get list watch create update patch delete deletecollection use bind escalate impersonate proxy *".split(" "),
);

/** Verbs that apply to a few resources only. */
const specialVerbs: Readonly<Record<string, ReadonlySet<string>>> = {
  use: new Set(["podsecuritypolicies"]),
  bind: new Set(["roles", "clusterroles"]),
  escalate: new Set(["roles", "clusterroles"]),
  impersonate: new Set(["users", "serviceaccounts", "groups", "userextras"]),
};
const pathVerbs = new Set("get put post head options delete patch *".split(" "));

/** `urls`: absent for a role, which has no rules for them. */
async function rules(context: RuleContext, urls?: readonly string[]): Promise<Json[]> {
  const { flags } = context;
  const verbs = unique(flags.verb);
  const resources = unique(flags.resource);
  const names = unique(flags["resource-name"]);
  if (verbs.length === 0) throw new CtlError("at least one verb must be specified");
  const nonResource = unique(urls ?? []);
  for (const verb of verbs)
    if (!knownVerbs.has(verb) && nonResource.length === 0)
      context.say(`Warning: '${verb}' is not a standard resource verb`);
  if (resources.length === 0 && nonResource.length === 0)
    throw new CtlError(
      urls !== undefined
        ? "one of resource or nonResourceURL must be specified"
        : "at least one resource must be specified",
    );
  for (const url of nonResource) {
    if (!url.startsWith("/")) throw new CtlError("nonResourceURL should start with /");
    if (/\*./.test(url)) throw new CtlError("nonResourceURL only supports wildcard matches when '*' is at the end");
  }
  if (nonResource.length > 0)
    for (const verb of verbs)
      if (!pathVerbs.has(verb)) throw new CtlError(`invalid verb: '${verb}' for nonResourceURL`);
  const spoken = verbs.includes("*") ? ["*"] : verbs;
  const byGroup = new Map<string, string[]>();
  for (const word of resources) {
    const [type = "", subresource] = word.split("/");
    if (type === "") throw new CtlError("resource must be specified if apiGroup/subresource specified");
    const [plural = "", ...group] = type.split(".");
    const found =
      plural === "*"
        ? { group: group.length === 0 ? "*" : group.join("."), name: "*" }
        : await named(context, type, verbs);
    for (const verb of verbs)
      if (plural !== "*" && specialVerbs[verb]?.has(found.name) === false)
        throw new CtlError(`can not perform '${verb}' on '${found.name}' in group '${found.group}'`);
    const list = byGroup.get(found.group) ?? [];
    byGroup.set(found.group, [...list, subresource === undefined ? found.name : `${found.name}/${subresource}`]);
  }
  return [
    ...[...byGroup].map(([group, list]) => ({
      apiGroups: [group],
      ...(names.length === 0 ? {} : { resourceNames: names }),
      resources: list,
      verbs: spoken,
    })),
    ...(nonResource.length === 0 ? [] : [{ nonResourceURLs: nonResource, verbs: spoken }]),
  ];
}

/** Some verbs apply to resources that are not served, such as users. */
async function named(
  context: Context,
  type: string,
  verbs: readonly string[],
): Promise<{ group: string; name: string }> {
  try {
    const { group, resource: name } = await findResource(context, type);
    return { group, name };
  } catch (error) {
    if (!(error instanceof UnknownType)) throw error;
    const [name = "", ...group] = type.split(".");
    if (verbs.some((verb) => specialVerbs[verb]?.has(name) === true)) return { group: group.join("."), name };
    const where = group.length === 0 ? "" : ` in group "${group.join(".")}"`;
    throw new CtlError(`the server doesn't have a resource type "${name}"${where}`, { isBare: true, cause: error });
  }
}

const unique = (words: readonly string[]): string[] => [...new Set(words)];

async function rbacVersion(context: Context): Promise<string> {
  return `${(await context.vocabulary()).group("rbac.authorization.orch.io")}/v1`;
}

export const role = generator({
  name: "role",
  summary: "Create a role with single rule",
  usage: "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename]",
  examples: `ctl create role pod-reader --verb=get,list,watch --resource=pods
ctl create role scaler --verb=update --resource=deployments.apps/scale --resource-name=web`,
  flags: ruleFlags,
  isNamespaced: true,
  build: async (context, name) => ({
    apiVersion: await rbacVersion(context),
    kind: "Role",
    metadata: { creationTimestamp: null, name },
    rules: await rules(context),
  }),
});

export const clusterRole = generator({
  name: "clusterrole",
  summary: "Create a cluster role",
  usage: "NAME --verb=verb --resource=resource.group [--resource-name=resourcename]",
  examples: `ctl create clusterrole pod-reader --verb=get,list,watch --resource=pods
ctl create clusterrole probes --verb=get --non-resource-url=/healthz,/logs/*
ctl create clusterrole monitoring --aggregation-rule="example.com/aggregate-to-monitoring=true"`,
  flags: {
    ...ruleFlags,
    "non-resource-url": strings("Paths that are not resources, such as /healthz"),
    "aggregation-rule": string("Label selector of the cluster roles to aggregate"),
  },
  isNamespaced: false,
  async build(context, name) {
    const metadata = { creationTimestamp: null, name };
    const apiVersion = await rbacVersion(context);
    const aggregation = context.flags["aggregation-rule"];
    if (aggregation === "")
      return {
        apiVersion,
        kind: "ClusterRole",
        metadata,
        rules: await rules(context, context.flags["non-resource-url"]),
      };
    const excluded = ["verb", "resource", "resource-name", "non-resource-url"] as const;
    if (excluded.some((flag) => context.flags[flag].length > 0))
      throw new CtlError(
        "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames",
      );
    const matchLabels = pairsOf(aggregation.split(","), "aggregation rule");
    return {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
      apiVersion,
      kind: "ClusterRole",
      metadata,
      rules: null,
    };
  },
});

const subjectFlags = {
  user: stringArray("Users"),
  group: stringArray("Groups"),
  serviceaccount: stringArray("Service accounts, as namespace:name"),
};

type SubjectContext = Context<FlagValues<typeof subjectFlags>>;

/** The subjects of a binding. */
export async function subjectsOf(context: SubjectContext): Promise<Json[]> {
  const { flags } = context;
  const apiGroup = (await context.vocabulary()).group("rbac.authorization.orch.io");
  const all = (flag: keyof typeof subjectFlags) => flags[flag].flatMap((word) => word.split(","));
  return [
    ...all("user").map((name) => ({ apiGroup, kind: "User", name })),
    ...all("group").map((name) => ({ apiGroup, kind: "Group", name })),
    ...all("serviceaccount").map((word) => {
      const [namespace, name, ...rest] = word.split(":");
      if (!namespace || !name || rest.length > 0) throw new CtlError("serviceaccount must be <namespace>:<name>");
      return { kind: "ServiceAccount", name, namespace };
    }),
  ];
}

/** Omitted if no subject is named. */
async function subjectsMember(context: SubjectContext): Promise<Json> {
  const subjects = await subjectsOf(context);
  return subjects.length === 0 ? {} : { subjects };
}

export const roleBinding = generator({
  name: "rolebinding",
  summary: "Create a role binding for a particular role or cluster role",
  usage:
    "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
  examples: `ctl create rolebinding admin --clusterrole=admin --user=user1 --user=user2 --group=group1`,
  flags: {
    ...subjectFlags,
    clusterrole: string("The cluster role"),
    role: string("The role"),
  },
  isNamespaced: true,
  failure: "failed to create rolebinding: ",
  async build(context, name) {
    const { flags } = context;
    const [clusterRoleName, roleName] = [flags.clusterrole, flags.role];
    if ((clusterRoleName === "") === (roleName === ""))
      throw new CtlError("exactly one of clusterrole or role must be specified");
    const apiGroup = (await context.vocabulary()).group("rbac.authorization.orch.io");
    return {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata: { creationTimestamp: null, name },
      roleRef: { apiGroup, kind: roleName === "" ? "ClusterRole" : "Role", name: roleName || clusterRoleName },
      ...(await subjectsMember(context)),
    };
  },
});

export const clusterRoleBinding = generator({
  name: "clusterrolebinding",
  summary: "Create a cluster role binding for a particular cluster role",
  usage:
    "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
  examples: `ctl create clusterrolebinding cluster-admin --clusterrole=cluster-admin --user=user1 --group=group1`,
  flags: { ...subjectFlags, clusterrole: string("The cluster role") },
  required: ["clusterrole"],
  isNamespaced: false,
  failure: "failed to create clusterrolebinding: ",
  async build(context, name) {
    const apiGroup = (await context.vocabulary()).group("rbac.authorization.orch.io");
    return {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { creationTimestamp: null, name },
      roleRef: { apiGroup, kind: "ClusterRole", name: context.flags.clusterrole },
      ...(await subjectsMember(context)),
    };
  },
});
