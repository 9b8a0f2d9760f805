/** Conversion by the strategy None: only the apiVersion changes, and fields that the other version does not have are dropped. */

import type { Family } from "../../machinery/schema/catalog.ts";
import type { Conversion } from "../../machinery/schema/convert.ts";

export function noneConversion(family: Family): Conversion {
  return {
    isImmediate: true,
    convert: (objects, _from, to) => objects.map((object) => to.codec.decode(object)),
    // Stored objects are read with the defaults of their version, so they are stored with them.
    fillStored: (object) => family.stored.codec.applyDefaults(object),
  };
}
