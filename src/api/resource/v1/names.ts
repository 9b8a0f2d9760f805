/** The forms of names that devices, their drivers, pools and attributes have. */

import { dns1123SubdomainCharsMax, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { type FieldErrors, invalid, noErrors, tooLong } from "../../../machinery/status/field-error.ts";

export const driverCharsMax = 63;
const identifierCharsMax = 32;

/** Parts with slashes between them. */
export function isPoolName(name: string): readonly string[] {
  if (name.length > dns1123SubdomainCharsMax) return [`must have at most ${dns1123SubdomainCharsMax} characters`];
  return [...new Set(name.split("/").flatMap(isDns1123Subdomain))];
}

/** "model", or with a domain "example.com/model". */
export function validateAttributeName(name: string, path: string): FieldErrors {
  const parts = name.split("/");
  if (parts.length > 2) return [invalid(path, name, "must not have more than one slash")];
  const [domain, identifier] = parts.length === 2 ? parts : [undefined, parts[0]];
  return [
    ...(domain === undefined ? noErrors : validateDomain(domain, path)),
    ...validateIdentifier(identifier ?? "", path),
  ];
}

export function validateFullName(name: string, path: string): FieldErrors {
  const errors = validateAttributeName(name, path);
  return name.includes("/") ? errors : [...errors, invalid(path, name, "must be a domain, a slash and a name")];
}

function validateDomain(domain: string, path: string): FieldErrors {
  if (domain.length > driverCharsMax) return [tooLong(path, domain, driverCharsMax)];
  return isDns1123Subdomain(domain).map((problem) => invalid(path, domain, problem));
}

function validateIdentifier(name: string, path: string): FieldErrors {
  if (name.length > identifierCharsMax) return [tooLong(path, name, identifierCharsMax)];
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return noErrors;
  return [invalid(path, name, "must be letters, digits and '_', and not begin with a digit")];
}
