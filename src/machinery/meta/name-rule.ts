/** Whether an object may have a name, by the rule its kind declares. */

import type { Environment } from "../schema/environment.ts";
import type { NameRule } from "../schema/strategy.ts";
import { isDns1035Label, isDns1123Label, isDns1123Subdomain, isPathSegmentName, isPathSegmentPrefix } from "./names.ts";

/**
 * What is wrong with a name; an empty list if it is valid. `generated`: the text is a prefix to which random characters
 * are added, so it may end in a dash.
 */
export function checkName(
  rule: NameRule,
  name: string,
  environment: Environment,
  generated: boolean,
): readonly string[] {
  if (typeof rule === "function") return rule(name, environment, generated);
  switch (rule) {
    case "subdomain":
      return isDns1123Subdomain(generated ? maskTrailingDash(name) : name);
    case "label":
      return isDns1123Label(generated ? maskTrailingDash(name) : name);
    case "label1035":
      return isDns1035Label(generated ? maskTrailingDash(name) : name);
    case "pathSegment":
      return generated ? isPathSegmentPrefix(name) : isPathSegmentName(name);
  }
}

/** A prefix is checked as if a letter replaced its last two characters; then "web-" is a valid prefix. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
