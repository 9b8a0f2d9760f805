/** Whether a server would take the names of a declaration. It says so at once, where the declaration is, and not when it is installed. */

import { isDns1035Label, isDns1123Subdomain } from "../../machinery/meta/names.ts";
import type { AnyDeclaration } from "./define-resource.ts";

/** Throws a TypeError that names the member. */
export function checkNames(declared: AnyDeclaration): void {
  const { group, version, kind, resource, singular, shortNames = [], versions = {} } = declared;
  const refuse = (member: string, value: string, problem: string): never => {
    throw new TypeError(`${member} of ${kind || resource}: ${JSON.stringify(value)} ${problem}`);
  };
  if (isDns1123Subdomain(group).length > 0 || !group.includes("."))
    refuse("group", group, 'must be a domain of yours in lower case with a dot, such as "example.com"');
  if (!/^[A-Z]/.test(kind) || isDns1035Label(kind.toLowerCase()).length > 0)
    refuse("kind", kind, 'must be a word of letters and digits that begins with a capital letter, such as "Widget"');
  const words = [
    ["resource", resource ?? ""], // plain JavaScript may leave it out
    ["singular", singular],
    ...shortNames.map((name) => ["shortNames", name]),
  ] as const;
  for (const [member = "", word] of words)
    if (word !== undefined && isDns1035Label(word).length > 0)
      refuse(member, word, `must be one word in lower case without dots, such as "${kind.toLowerCase()}s"`);
  for (const name of [version, ...Object.keys(versions)])
    if (isDns1035Label(name).length > 0)
      refuse("version", name, 'must be a word in lower case, such as "v1" or "v1beta1"');
}
