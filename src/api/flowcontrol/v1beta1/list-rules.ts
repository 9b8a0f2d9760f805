/** Rules of the lists by which a rule of a flow schema matches requests. */

import { isDns1123Label } from "../../../machinery/meta/names.ts";
import {
  each,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
} from "../../../machinery/status/field-error.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export const everything = "*";
export const aloneText = "if '*' is there, it must be the only one";

/** Where everything is meant, other items are not looked at. */
const onlyEverything = (given: readonly string[]): FieldErrors =>
  given.length > 1 ? [invalid("", given, aloneText)] : noErrors;

export function validateVerbs(given: readonly string[]): FieldErrors {
  if (given.includes(everything)) return onlyEverything(given);
  const unknown = given.find((verb) => !verbs.includes(verb));
  return unknown === undefined ? noErrors : [notSupported("", unknown, verbs)];
}

export function validateNamespaces(namespaces: readonly string[]): FieldErrors {
  if (namespaces.includes(everything)) return onlyEverything(namespaces);
  return ofEach(namespaces, (namespace, index) => each(isDns1123Label(namespace), `[${index}]`, namespace));
}

export function validateUrls(urls: readonly string[]): FieldErrors {
  if (urls.includes(everything)) return onlyEverything(urls);
  return ofEach(urls, (url, index) => {
    const problem = urlProblem(url);
    return problem === undefined ? noErrors : [invalid(`[${index}]`, url, problem)];
  });
}

/** "/healthz", "/metrics/*": a star only as the last step. */
function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (!url.startsWith("/")) return "must begin with a slash";
  if (url.includes(" ")) return "must not contain white space";
  if (url.includes("//")) return "must not contain two slashes in a row";
  const star = url.indexOf("*");
  return star >= 0 && (star !== url.length - 1 || !url.endsWith("/*")) ? "a '*' must be the last step" : undefined;
}
