/** A selector as people write it: "a=b,c in (d,e)". */

import { dig, entries, isJson, type Json, list, text, texts } from "../json.ts";

/** The selector at the path; `none`: what is shown if it is absent or selects everything. */
export const selector =
  (path: string, none = "<none>") =>
  (value: Json): string =>
    selectorText(dig(value, ...path.split(".")), none);

/** A map of labels is a selector too. */
export function selectorText(selector: unknown, none = "<none>"): string {
  if (!isJson(selector)) return none;
  const isObject = isJson(selector["matchLabels"]) || Array.isArray(selector["matchExpressions"]);
  const labels = entries(isObject ? selector["matchLabels"] : selector).map(([key, value]) => `${key}=${value}`);
  const expressions = isObject ? list(selector, "matchExpressions").map(expression) : [];
  return [...labels, ...expressions].sort().join(",") || none;
}

function expression(one: Record<string, unknown>): string {
  const key = text(one, "key");
  switch (text(one, "operator")) {
    case "In":
      return `${key} in (${texts(one, "values").sort().join(",")})`;
    case "NotIn":
      return `${key} notin (${texts(one, "values").sort().join(",")})`;
    case "Exists":
      return key;
    default:
      return `!${key}`;
  }
}
