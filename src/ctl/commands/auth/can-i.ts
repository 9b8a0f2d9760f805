/** `auth can-i`: whether the caller may do something, or a list of everything that the caller may do. */

import { bool, type FlagValues, string } from "../../../base/flags/flag.ts";
import { reviewRequest, verdictOf } from "../../../operations/review.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError, Exit } from "../../errors.ts";
import { allNamespacesFlag } from "../../flags/declared.ts";
import { findServed } from "../../input/lookups.ts";
import { type Json, list, object, text, texts } from "../../json.ts";
import { Columns } from "../../output/table.ts";

const canIFlags = {
  ...allNamespacesFlag,
  list: bool("Print everything that is allowed"),
  "no-headers": bool("Print no headers"),
  quiet: bool("Only the exit code", false, { short: "q" }),
  subresource: string("The subresource, such as status"),
};

type CanIContext = Context<FlagValues<typeof canIFlags>>;

export const canI = command({
  name: "can-i",
  summary: "Check whether an action is allowed",
  usage: "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
  examples: `ctl auth can-i create pods --all-namespaces
ctl auth can-i list deployments.apps
ctl auth can-i get pods/log
ctl auth can-i --list --namespace=foo`,
  flags: canIFlags,
  run,
});

async function run(context: CanIContext): Promise<number> {
  const { args, flags } = context;
  if (flags.list) {
    if (args.length > 0) throw new CtlError("list option must be specified with no arguments");
    await listAll(context);
    return 0;
  }
  const [verb, target, ...rest] = args;
  if (verb === undefined || target === undefined || rest.length > (context.behaviour.reviewsNames ? 1 : 0))
    throw new CtlError("you must specify two or three arguments: verb, resource, and optional resourceName");
  const spec = await attributesOf(context, verb, target, rest[0] ?? "");
  const answer = await review(context, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec);
  const { isAllowed = false, reason, problem } = verdictOf(answer);
  if (!flags.quiet) {
    const words = [
      isAllowed ? "yes" : "no",
      ...(reason === "" || !context.behaviour.joinsReason ? [] : [`- ${reason}`]),
      ...(problem === "" ? [] : [`- ${problem}`]),
    ];
    context.print(`${words.join(" ")}\n`);
    if (reason !== "" && !context.behaviour.joinsReason) context.say(reason);
  }
  if (!isAllowed) throw new Exit(1);
  return 0;
}

export async function review(context: Context, resource: string, kind: string, spec: Json): Promise<Json> {
  const group = (await context.vocabulary()).group("authorization.orch.io");
  const { path, body } = reviewRequest({ group, version: "v1", resource, kind, namespaced: false }, spec);
  return context.session.json(path, { method: "POST", body });
}

/** The request as the attributes of a review. */
export async function attributesOf(context: Context, verb: string, target: string, given: string): Promise<Json> {
  const { flags } = context;
  if (target.startsWith("/") && (flags.subresource ?? "") !== "")
    throw new CtlError("--subresource can not be used with NonResourceURL");
  if (target.startsWith("/")) return { nonResourceAttributes: { path: target, verb } };
  const [type = "", slashed = ""] = target.split("/");
  if (slashed !== "" && given !== "")
    throw new CtlError("you must specify two arguments: verb resource or verb resource/resourceName");
  const resource = await described(context, type);
  const namespace = flags["all-namespaces"] ? "" : context.namespace;
  if (resource.namespaced === false && !flags["all-namespaces"] && resource.isKnown)
    context.say(
      `Warning: resource '${resource.name}' is not namespace scoped${resource.group === "" ? "" : ` in group '${resource.group}'`}`,
    );
  return {
    resourceAttributes: {
      ...(resource.namespaced === false && resource.isKnown && !context.behaviour.reviewsInNamespace
        ? {}
        : { namespace }),
      verb,
      group: resource.group,
      resource: resource.name,
      ...((flags.subresource ?? "") === "" ? {} : { subresource: flags.subresource }),
      ...(slashed || given ? { name: slashed || given } : {}),
    },
  };
}

/** A type that the server does not serve may still be reviewed. */
async function described(
  context: Context,
  type: string,
): Promise<{ group: string; name: string; namespaced: boolean; isKnown: boolean }> {
  if (type === "*") return { group: "*", name: "*", namespaced: true, isKnown: false };
  const found = await findServed(context, (served) => served.find(type));
  if (found !== undefined)
    return { group: found.group, name: found.resource, namespaced: found.namespaced, isKnown: true };
  const [name = "", ...group] = type.split(".");
  context.say(
    `Warning: the server doesn't have a resource type '${name}'${group.length > 0 ? ` in group '${group.join(".")}'` : ""}`,
  );
  return { group: group.join("."), name, namespaced: true, isKnown: false };
}

async function listAll(context: CanIContext): Promise<void> {
  const answer = await review(context, "selfsubjectrulesreviews", "SelfSubjectRulesReview", {
    namespace: context.namespace,
  });
  const status = object(answer, "status");
  if (status["incomplete"] === true)
    context.say(`warning: the list may be incomplete: ${text(status, "evaluationError")}`);
  const rows = [
    ...list(status, "resourceRules").flatMap(resourceRows),
    ...list(status, "nonResourceRules").flatMap((rule) =>
      texts(rule, "nonResourceURLs").map((url) => ["", `[${url}]`, "[]", `[${texts(rule, "verbs").join(" ")}]`]),
    ),
  ];
  const compact = new Map<string, string[]>();
  const paths = rows.filter(([resource]) => resource === "");
  for (const row of rows.filter(([resource]) => resource !== "")) {
    const key = row.slice(0, 3).join("\t");
    const before = compact.get(key);
    const verbs = (row[3] ?? "")
      .slice(1, -1)
      .split(" ")
      .filter((verb) => verb !== "");
    compact.set(key, before === undefined ? verbs : [...new Set([...before, ...verbs])]);
  }
  const merged = [...[...compact].map(([key, verbs]) => [...key.split("\t"), `[${verbs.join(" ")}]`]), ...paths].sort(
    (a, b) => (sortKey(a) < sortKey(b) ? -1 : 1),
  );
  const header = context.flags["no-headers"] ? [] : [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]];
  context.print(new Columns().format([...header, ...merged]));
}

/** Rules are sorted by their verbs first, as other tools print them. */
const sortKey = ([resource = "", urls = "", names = "", verbs = ""]: readonly string[]): string => {
  const [, name = "", group = ""] = /^([^./]*)(?:\.([^/]*))?/.exec(resource) ?? [];
  return `${verbs},[${group}],[${name}${resource.slice(name.length + (group === "" ? 0 : group.length + 1))}],${names},${urls}`;
};

function resourceRows(rule: Json): string[][] {
  const names = `[${texts(rule, "resourceNames").join(" ")}]`;
  const verbs = `[${texts(rule, "verbs").join(" ")}]`;
  return texts(rule, "apiGroups").flatMap((group) =>
    texts(rule, "resources").map((resource) => [fullResource(resource, group), "[]", names, verbs]),
  );
}

function fullResource(resource: string, group: string): string {
  if (group === "") return resource;
  const at = resource.indexOf("/");
  return at < 0 ? `${resource}.${group}` : `${resource.slice(0, at)}.${group}${resource.slice(at)}`;
}
