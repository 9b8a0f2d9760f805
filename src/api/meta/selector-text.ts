/** A label selector as people write it: `a=b,c in (d,e),!f`. */

import type { LabelSelector } from "./label-selector.ts";

/** `<none>` for no selector or an empty one. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const text = selectorQuery(selector);
  return text === "" ? "<none>" : text;
}

/** Empty for no selector; what a list query takes. */
export function selectorQuery(selector: LabelSelector | null | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    text: expressionText(key, operator, values ?? []),
  }));
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  const list = `(${[...values].sort().join(",")})`;
  switch (operator) {
    case "In":
      return `${key} in ${list}`;
    case "NotIn":
      return `${key} notin ${list}`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return `${key} ${operator} ${list}`;
  }
}
