/** The caller's rule that comes closest to a denied request, and the commands that would allow the request. */

import type { Context } from "../../context.ts";
import { type Json, list, object, text, texts } from "../../json.ts";
import { review } from "./can-i.ts";

/** A sentence; undefined: no rule has anything to do with the request. */
export async function nearestRule(context: Context, attributes: Json): Promise<string | undefined> {
  const namespace = text(attributes, "namespace") || "default";
  const answer = await review(context, "selfsubjectrulesreviews", "SelfSubjectRulesReview", { namespace });
  const rules = list(answer, "status", "resourceRules").map((rule) => ({ rule, lacks: missing(rule, attributes) }));
  const [near] = rules
    .filter(({ lacks }) => lacks.length > 0 && !lacks.some((one) => one.startsWith("resource ")))
    .sort((a, b) => a.lacks.length - b.lacks.length);
  return near && `you may ${shown(near.rule)}; the request needs ${near.lacks.join(" and ")}`;
}

/** What a rule would need to allow the request. */
function missing(rule: Json, attributes: Json): string[] {
  const has = (key: string, wanted: string) => texts(rule, key).some((one) => one === "*" || one === wanted);
  const { verb, group, name, full } = requestOf(attributes);
  const names = texts(rule, "resourceNames");
  return [
    ...(has("resources", full) ? [] : [`resource ${full}`]),
    ...(has("verbs", verb) ? [] : [`verb ${verb}`]),
    ...(has("apiGroups", group) ? [] : [`API group "${group}"`]),
    ...(names.length === 0 || names.includes(name) ? [] : [`name ${name || "of any object"}`]),
  ];
}

function shown(rule: Json): string {
  const groups = texts(rule, "apiGroups").filter((group) => group !== "");
  const names = texts(rule, "resourceNames");
  return [
    `${texts(rule, "verbs").join(", ")} ${texts(rule, "resources").join(", ")}`,
    ...(groups.length === 0 ? [] : [`of ${groups.join(", ")}`]),
    ...(names.length === 0 ? [] : [`named ${names.join(", ")}`]),
  ].join(" ");
}

function requestOf(attributes: Json) {
  const [resource, subresource] = [text(attributes, "resource"), text(attributes, "subresource")];
  return {
    verb: text(attributes, "verb"),
    group: text(attributes, "group"),
    name: text(attributes, "name"),
    full: subresource === "" ? resource : `${resource}/${subresource}`,
  };
}

/** The commands by which somebody who may grant it allows the request. `user`: undefined if it is not known. */
export function grantCommands(program: string, spec: Json, user: string | undefined): string[] {
  const account = /^system:serviceaccount:([^:]+):(.+)$/.exec(user ?? "");
  const subject = account === null ? `--user=${user ?? "NAME"}` : `--serviceaccount=${account[1]}:${account[2]}`;
  const path = text(spec, "nonResourceAttributes", "path");
  const attributes = object(spec, "resourceAttributes");
  const { verb, group, name, full } = requestOf(attributes);
  const namespace = text(attributes, "namespace");
  const role = `${path === "" ? `${text(attributes, "resource") || "any"}-` : ""}${verb}`.replaceAll("*", "any");
  const [type, ...rest] = full.split("/");
  const target = [group === "" ? type : `${type}.${group}`, ...rest].join("/");
  const what =
    path === "" ? `--resource=${target}${name === "" ? "" : ` --resource-name=${name}`}` : `--non-resource-url=${path}`;
  const rule = `--verb=${verb} ${what}`;
  if (namespace === "")
    return [
      `${program} create clusterrole ${role} ${rule}`,
      `${program} create clusterrolebinding ${role} --clusterrole=${role} ${subject}`,
    ];
  return [
    `${program} create role ${role} ${rule} -n ${namespace}`,
    `${program} create rolebinding ${role} --role=${role} ${subject} -n ${namespace}`,
  ];
}
