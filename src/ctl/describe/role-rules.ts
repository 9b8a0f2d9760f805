/** The rules of a role as a description lists them: a line for each resource, possibly of one name, and for each URL. */

import { type Json, list, texts } from "../json.ts";

/** Parts that do not apply are "". */
interface RuleRow {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly url: string;
  readonly verbs: readonly string[];
}

export function ruleRows(role: Json): Json[] {
  return compacted(list(role, "rules").flatMap(brokenDown))
    .sort((a, b) => (ruleKey(a) < ruleKey(b) ? -1 : 1))
    .map((row) => ({ ...row, resource: withGroup(row), verbs: row.verbs.join(" ") }));
}

/** One row for each resource, name and verb of a rule, and for each of its URLs. */
function brokenDown(rule: Json): RuleRow[] {
  const names = texts(rule, "resourceNames");
  const rows: RuleRow[] = [];
  for (const group of texts(rule, "apiGroups"))
    for (const resource of texts(rule, "resources"))
      for (const verb of texts(rule, "verbs"))
        for (const name of names.length === 0 ? [""] : names)
          rows.push({ group, resource, name, url: "", verbs: [verb] });
  for (const url of texts(rule, "nonResourceURLs"))
    for (const verb of texts(rule, "verbs")) rows.push({ group: "", resource: "", name: "", url, verbs: [verb] });
  return rows;
}

/** Merges rows of the same resource and name. */
function compacted(rows: readonly RuleRow[]): RuleRow[] {
  const ofResources = new Map<string, RuleRow>();
  for (const row of rows.filter(({ url }) => url === "")) {
    const key = JSON.stringify([row.group, row.resource, row.name]);
    ofResources.set(key, { ...row, verbs: [...new Set([...(ofResources.get(key)?.verbs ?? []), ...row.verbs])] });
  }
  return [...ofResources.values(), ...rows.filter(({ url }) => url !== "")];
}

/** By verbs, then by group and resource, as kubectl sorts rules. */
function ruleKey({ verbs, group, resource, name, url }: RuleRow): string {
  return `[${verbs.join(" ")}],[${group}],[${resource}],[${name}],[${url}]`;
}

function withGroup({ resource, group }: RuleRow): string {
  const at = resource.indexOf("/");
  if (group === "") return resource;
  return at < 0 ? `${resource}.${group}` : `${resource.slice(0, at)}.${group}${resource.slice(at)}`;
}
