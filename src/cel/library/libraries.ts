/** All functions, with the releases that have them: one table for everybody who asks what is offered. */

import { isSince, type Release } from "../../base/release.ts";
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
import { sets } from "./sets.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./urls.ts";
import { versions } from "./versions.ts";

const libraries: readonly FunctionDeclaration[] = [
  ...operators,
  ...conversions,
  ...strings,
  ...times,
  ...lists,
  ...sets,
  ...optionals,
  ...patterns,
  ...urls,
  ...quantities,
  ...addresses,
  ...formats,
  ...versions,
  ...authorization,
];

const byRelease = new Map<Release, ReadonlyMap<string, readonly Overload[]>>();

/** Overloads by name, as a release of the server has them. */
export function functionsOf(release: Release): ReadonlyMap<string, readonly Overload[]> {
  let functions = byRelease.get(release);
  if (functions === undefined) {
    const found = new Map<string, Overload[]>();
    for (const { name, since, overloads } of libraries) {
      if (!isSince(release, since)) continue;
      found.set(name, [...(found.get(name) ?? []), ...overloads]);
    }
    functions = found;
    byRelease.set(release, functions);
  }
  return functions;
}
