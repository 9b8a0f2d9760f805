/** Rules of roles split into single permissions, so that the permissions that one role lacks can be listed. */

import { type Json, texts } from "../../json.ts";

/** Each verb on each resource, or on each path, as a separate rule. */
function singlesOf(rule: Json): Json[] {
  const verbs = texts(rule, "verbs");
  const names = texts(rule, "resourceNames");
  const singles: Json[] = [];
  for (const group of texts(rule, "apiGroups"))
    for (const resource of texts(rule, "resources"))
      for (const verb of verbs) {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (names.length === 0) singles.push(single);
        else for (const name of names) singles.push({ ...single, resourceNames: [name] });
      }
  for (const url of texts(rule, "nonResourceURLs"))
    for (const verb of verbs) singles.push({ verbs: [verb], nonResourceURLs: [url] });
  return singles;
}

/** The single permissions of `wanted` that no rule of `owned` grants. */
export function missingRules(owned: readonly Json[], wanted: readonly Json[]): Json[] {
  return wanted.flatMap(singlesOf).filter((single) => !owned.some((rule) => gives(rule, single)));
}

function gives(rule: Json, single: Json): boolean {
  const has = (key: string) => {
    const [value] = texts(single, key);
    return value === undefined || texts(rule, key).some((own) => own === "*" || own === value);
  };
  if (!has("verbs")) return false;
  const [url] = texts(single, "nonResourceURLs");
  if (url !== undefined)
    return texts(rule, "nonResourceURLs").some(
      (own) => own === url || (own.endsWith("*") && url.startsWith(own.slice(0, -1))),
    );
  const [resource = ""] = texts(single, "resources");
  const subresource = resource.includes("/") ? `*/${resource.slice(resource.indexOf("/") + 1)}` : "*";
  const hasResource = has("resources") || texts(rule, "resources").includes(subresource);
  const names = texts(rule, "resourceNames");
  const [name] = texts(single, "resourceNames");
  return has("apiGroups") && hasResource && (names.length === 0 || (name !== undefined && names.includes(name)));
}

/** A rule as `auth reconcile` prints it: `{Verbs:[get] APIGroups:[apps] …}`. */
export function ruleText(rule: Json): string {
  const members = {
    Verbs: "verbs",
    APIGroups: "apiGroups",
    Resources: "resources",
    ResourceNames: "resourceNames",
    NonResourceURLs: "nonResourceURLs",
  };
  return `{${Object.entries(members)
    .map(([title, key]) => `${title}:[${texts(rule, key).join(" ")}]`)
    .join(" ")}}`;
}
