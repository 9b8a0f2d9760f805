/** What expressions that select devices may name: the device, with its driver, attributes and capacity. */

import type { Release } from "../../base/release.ts";
import { compile } from "../compile.ts";
import type { Compilation } from "../contract.ts";
import { bool, dyn, mapOf, objectType, string, type Type } from "../types/types.ts";

/** The longest text of a device, which is the value of an attribute; all its maps have fewer entries. */
const deviceTextMax = 64;

interface DeviceNames {
  readonly release: Release;
  /** Whether a device may be allocated several times. */
  readonly hasSharing: boolean;
}

/** Attributes and capacities are grouped by the domain of their names. */
const fields: readonly (readonly [string, Type])[] = [
  ["driver", string],
  ["attributes", mapOf(string, mapOf(string, dyn))],
  ["capacity", mapOf(string, mapOf(string, objectType("Quantity")))],
];

export function compileDeviceSelector(expression: string, { release, hasSharing }: DeviceNames): Compilation {
  const shared: readonly (readonly [string, Type])[] = hasSharing ? [["allowMultipleAllocations", bool]] : [];
  const device = objectType("Device", new Map([...fields, ...shared]));
  return compile(expression, { release, variables: new Map([["device", device]]) });
}

/** For estimates of what an expression may cost. */
export const deviceSizeBound = (): number => deviceTextMax;
