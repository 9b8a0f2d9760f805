/** Conversion by the strategy None: only the apiVersion changes, and what the other version does not know is dropped. */

import type { Family } from "../../machinery/schema/catalog.ts";
import type { Conversion } from "../../machinery/schema/convert.ts";

export function noneConversion(family: Family): Conversion {
  return {
    isImmediate: true,
    convert: (objects, _from, to) => objects.map((object) => to.codec.decode(object)),
    // What is stored is read with the defaults of its version, so it is stored with them.
    fillStored: (object) => family.stored.codec.applyDefaults(object),
  };
}
