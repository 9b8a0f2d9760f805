/** Rules of the lists that say what a webhook is called for, and how. */

import { isDns1035Label } from "../../../machinery/meta/names.ts";
import {
  each,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { repeats } from "../../validation.ts";

export const knownReviewVersions = ["v1", "v1beta1"];

/** The rule of versions of reviews; `repeatedText` is said of one that is there twice. */
export const reviewVersionsRule =
  (repeatedText: string) =>
  (versions: readonly string[]): FieldErrors => {
    const repeated = repeats(versions);
    return ofEach(versions, (version, index) => {
      const at = `[${index}]`;
      return repeated.has(index) ? [invalid(at, version, repeatedText)] : each(isDns1035Label(version), at, version);
    });
  };

export const speaksKnown = (versions: readonly string[]): boolean =>
  versions.some((version) => knownReviewVersions.includes(version));

/** At least one of the versions is one that this server speaks. */
export const includesKnown = (versions: readonly string[], path = ""): FieldErrors =>
  speaksKnown(versions)
    ? noErrors
    : [invalid(path, versions, `must include at least one of ${knownReviewVersions.join(", ")}`)];

export const aloneText = (what: string): string => `if '*' is present, must not specify other ${what}`;

/** Wildcards must not be listed with what they already cover; v1.21 checks only those that come first. */
export function validateResources(resources: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalid("", resources, "if '*/*' is present, must not specify other resources"));
  }
  // v1.21 checks the last of the resources without a subresource.
  const plain = resources.filter((one) => one !== "" && !one.includes("/"));
  if (plain.includes("*") && plain.at(-1) !== "*") {
    errors.push(invalid("", resources, "if '*' is present, must not specify other resources without subresources"));
  }
  const allSubresourcesOf = new Set<string>();
  const subresourceOfAll = new Set<string>();
  resources.forEach((one, index) => {
    const at = `[${index}]`;
    if (one === "") errors.push(required(at));
    const slash = one.indexOf("/");
    if (slash < 0) return;
    const [resource, subresource] = [one.slice(0, slash), one.slice(slash + 1)];
    if (allSubresourcesOf.has(resource))
      errors.push(invalid(at, one, `if '${resource}/*' is present, must not specify ${one}`));
    if (subresourceOfAll.has(subresource))
      errors.push(invalid(at, one, `if '*/${subresource}' is present, must not specify ${one}`));
    if (subresource === "*") allSubresourcesOf.add(resource);
    if (resource === "*") subresourceOfAll.add(subresource);
  });
  return errors;
}
