/** A Secret holds a small amount of confidential data. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, map, optional, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const Secret = kind({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
  doc: "A Secret holds a small amount of confidential data.",
  fields: {
    data: elided(map(bytes())).at(2),
    type: elided(string()).at(3),
    stringData: elided(map(string())).at(4),
    immutable: optional(bool()).at(5),
  },
});
export type Secret = Static<typeof Secret>;
