/** All functions, in the versions that have them: one table for everybody who asks what is offered. */

import { addresses } from "./addresses.ts";
import { authorization } from "./authorization.ts";
import { conversions } from "./conversions.ts";
import type { FunctionDeclaration, Overload } from "./declaration.ts";
import { formats } from "./formats.ts";
import { lists } from "./lists.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { patterns } from "./patterns.ts";
import { quantities } from "./quantities.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./urls.ts";
import { versions } from "./versions.ts";

export const libraries: readonly FunctionDeclaration[] = [
  ...operators,
  ...conversions,
  ...strings,
  ...times,
  ...lists,
  ...optionals,
  ...patterns,
  ...urls,
  ...quantities,
  ...addresses,
  ...formats,
  ...versions,
  ...authorization,
];

const byVersion = new Map<string, ReadonlyMap<string, readonly Overload[]>>();

/** Overloads by name, as a version of the server has them: "1.35". */
export function functionsOf(version: string): ReadonlyMap<string, readonly Overload[]> {
  let functions = byVersion.get(version);
  if (functions === undefined) {
    const found = new Map<string, Overload[]>();
    for (const { name, since, overloads } of libraries) {
      if (!isSince(version, since)) continue;
      found.set(name, [...(found.get(name) ?? []), ...overloads]);
    }
    functions = found;
    byVersion.set(version, functions);
  }
  return functions;
}

/** Whether a version is `since` or later. */
export function isSince(version: string, since: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [sinceMajor = 0, sinceMinor = 0] = since.split(".").map(Number);
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
