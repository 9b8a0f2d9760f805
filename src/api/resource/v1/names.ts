/** The forms of names that devices, their drivers, pools and attributes have. */

import { dns1123SubdomainCharsMax, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import {
  each,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  together,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";

const identifierCharsMax = 32;

/** Parts with slashes between them. */
export function validatePoolName(name: string, path: string): FieldErrors {
  return together(
    name.length > dns1123SubdomainCharsMax ? [tooLong(path, name, dns1123SubdomainCharsMax)] : noErrors,
    ofEach(name.split("/"), (part) => each(isDns1123Subdomain(part), path, part)),
  );
}

/** "model", or with a domain, which has the form of a driver's name, "example.com/model". */
export function validateAttributeName(name: string, path: string): FieldErrors {
  const parts = name.split("/");
  // v1.35 looks at names with one slash or none.
  if (parts.length > 2) return noErrors;
  const [domain, identifier] = parts.length === 2 ? parts : [undefined, parts[0]];
  return together(
    domain === undefined ? noErrors : validateDriverName(domain, path),
    validateIdentifier(identifier ?? "", path),
  );
}

export function validateFullName(name: string, path: string): FieldErrors {
  const errors = validateAttributeName(name, path);
  return name.includes("/") ? errors : [...errors, invalid(path, name, "must be a domain, a slash and a name")];
}

function validateIdentifier(name: string, path: string): FieldErrors {
  const text = "must be letters, digits and '_', and not begin with a digit";
  return together(
    name.length > identifierCharsMax ? [tooLong(path, name, identifierCharsMax)] : noErrors,
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? noErrors : [invalid(path, name, text)],
  );
}
