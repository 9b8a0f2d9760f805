/** Ratcheting of huge pages: before 1.22 amounts could be parts of a page, and a spec that has such an amount may keep it. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldErrors } from "../../../../machinery/status/field-error.ts";
import { isHugePages, isWholePages, wholePages } from "../../../resource-names.ts";
import { allKinds, eachContainer } from "./each-container.ts";
import type { PodSpec } from "./spec.ts";

/** The errors of an update without those about parts of pages, if the spec had some before. */
export function withoutKeptPages(errors: FieldErrors, old: PodSpec | undefined): FieldErrors {
  const isAboutPages = ({ message }: FieldErrors[number]) => message.includes(wholePages);
  if (!errors.some(isAboutPages) || !hasPartsOfPages(old)) return errors;
  return errors.filter((error) => !isAboutPages(error));
}

/** The check of an update of a kind with a template, from that of its objects. */
export const keepingPages =
  <T>(validate: (object: T, environment: Environment) => FieldErrors, specOf: (object: T) => PodSpec | undefined) =>
  (object: T, old: T, environment: Environment): FieldErrors =>
    withoutKeptPages(validate(object, environment), specOf(old));

function hasPartsOfPages(spec: PodSpec | undefined): boolean {
  if (spec === undefined) return false;
  const isPart = (amounts: Readonly<Record<string, string>> | undefined) =>
    Object.entries(amounts ?? {}).some(([name, amount]) => isHugePages(name) && !isWholePages(name, amount));
  let found = isPart(spec.overhead);
  eachContainer(spec, allKinds, ({ resources }) => {
    found ||= isPart(resources?.limits) || isPart(resources?.requests);
    return [];
  });
  return found;
}
