/** `auth who-can`: which subjects may do something, and through which binding. */

import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { allNamespacesFlag } from "../../flags/declared.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, text, texts } from "../../json.ts";
import { Columns } from "../../output/table.ts";

const whoCanFlags = { ...allNamespacesFlag };

export const whoCan = command({
  name: "who-can",
  summary: "List who may do something, and why",
  usage: "VERB (TYPE | TYPE/NAME | NONRESOURCEURL)",
  examples: `ctl auth who-can delete pods
ctl auth who-can get secrets -n shop`,
  flags: whoCanFlags,
  run,
});

interface Question {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly path: string;
}

async function run(context: Context): Promise<void> {
  const [verb, target] = context.args;
  if (verb === undefined || target === undefined || context.args.length > 2)
    throw new UsageError("you must specify a verb and a resource");
  const question = await questionOf(context, verb, target);
  const roles = new Map<string, Json>();
  for (const type of ["roles", "clusterroles"])
    for await (const role of all(context, type))
      roles.set(`${text(role, "kind")}/${namespaceOf(role)}/${nameOf(role)}`, role);
  const rows: string[][] = [];
  for (const type of ["clusterrolebindings", "rolebindings"])
    for await (const binding of all(context, type)) {
      const namespace = namespaceOf(binding);
      const isElsewhere = namespace !== "" && !context.flags["all-namespaces"] && namespace !== context.namespace;
      if (isElsewhere || (namespace !== "" && question.path !== "")) continue;
      const kind = text(binding, "roleRef", "kind");
      const role = roles.get(`${kind}/${kind === "Role" ? namespace : ""}/${text(binding, "roleRef", "name")}`);
      if (!list(role, "rules").some((rule) => allows(rule, question))) continue;
      for (const subject of list(binding, "subjects"))
        rows.push([
          text(subject, "kind"),
          subject["kind"] === "ServiceAccount"
            ? `${text(subject, "namespace")}:${text(subject, "name")}`
            : text(subject, "name"),
          namespace || "*",
          `${text(binding, "kind")}/${nameOf(binding)}`,
          `${kind}/${text(binding, "roleRef", "name")}`,
        ]);
    }
  if (rows.length === 0) return context.say("no role or binding allows this to any subject");
  context.print(new Columns().format([["KIND", "SUBJECT", "NAMESPACE", "BINDING", "ROLE"], ...rows]));
}

async function questionOf(context: Context, verb: string, target: string): Promise<Question> {
  if (target.startsWith("/")) return { verb, group: "", resource: "", name: "", path: target };
  const [type = "", name = ""] = target.split("/");
  const { group, resource } = await findResource(context, type);
  return { verb, group, resource, name, path: "" };
}

async function* all(context: Context, type: string): AsyncIterable<Json> {
  yield* context.at(await findResource(context, type)).items();
}

function allows(rule: Json, question: Question): boolean {
  const has = (key: string, wanted: string) => texts(rule, key).some((one) => one === "*" || one === wanted);
  if (!has("verbs", question.verb)) return false;
  if (question.path !== "")
    return texts(rule, "nonResourceURLs").some(
      (url) =>
        url === "*" || url === question.path || (url.endsWith("*") && question.path.startsWith(url.slice(0, -1))),
    );
  const names = texts(rule, "resourceNames");
  return (
    has("apiGroups", question.group) &&
    has("resources", question.resource) &&
    (names.length === 0 || names.includes(question.name))
  );
}
