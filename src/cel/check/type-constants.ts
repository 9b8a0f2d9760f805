/** Types that expressions can name, as in `type(x) == string`. */

import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  objectType,
  optionalOf,
  string,
  type Type,
  timestamp,
  typeOf,
  uint,
} from "../types/types.ts";

export const typeConstants: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", bool],
  ["bytes", bytes],
  ["double", double],
  ["google.protobuf.Duration", duration],
  ["google.protobuf.Timestamp", timestamp],
  ["int", int],
  ["list", listOf(dyn)],
  ["map", mapOf(dyn, dyn)],
  ["net.CIDR", objectType("net.CIDR")],
  ["net.IP", objectType("net.IP")],
  ["null_type", nullType],
  ["optional_type", optionalOf(dyn)],
  ["string", string],
  ["type", typeOf(dyn)],
  ["uint", uint],
]);
