/** A selector as people write it: "a=b,c in (d,e)". */

import { entries, isJson, list, text, texts } from "../json.ts";

/** `<none>` for an absent selector; a map of labels is a selector too. */
export function selectorText(selector: unknown): string {
  if (!isJson(selector)) return "<none>";
  const isObject = isJson(selector["matchLabels"]) || Array.isArray(selector["matchExpressions"]);
  const labels = entries(isObject ? selector["matchLabels"] : selector).map(([key, value]) => `${key}=${value}`);
  const expressions = isObject ? list(selector, "matchExpressions").map(expression) : [];
  return [...labels, ...expressions].sort().join(",") || "<none>";
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
