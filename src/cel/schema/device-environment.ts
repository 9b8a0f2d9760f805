/** What expressions that select devices may name: the device, with its driver, attributes and capacity. */

import type { Release } from "../../base/release.ts";
import { compile } from "../compile.ts";
import type { Compilation } from "../contract.ts";
import { quantityOf } from "../library/quantities.ts";
import { versionOf } from "../library/versions.ts";
import { bool, dyn, mapOf, objectType, string, type Type } from "../types/types.ts";
import { MadeObject } from "../values/made-object.ts";
import { ArrayList, EntryMap, type Value } from "../values/values.ts";

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

/** A device as its driver publishes it. */
interface PublishedDevice {
  readonly attributes?: Readonly<Record<string, PublishedAttribute>> | undefined;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>> | undefined;
  readonly allowMultipleAllocations?: boolean | undefined;
}

/** One member is set. */
interface PublishedAttribute {
  readonly int?: number | bigint | undefined;
  readonly bool?: boolean | undefined;
  readonly string?: string | undefined;
  readonly version?: string | undefined;
  readonly ints?: readonly (number | bigint)[] | undefined;
  readonly bools?: readonly boolean[] | undefined;
  readonly strings?: readonly string[] | undefined;
  readonly versions?: readonly string[] | undefined;
}

/** What the variable `device` is for one device. */
export function deviceValue(driver: string, device: PublishedDevice): Value {
  return new MadeObject(
    objectType("Device"),
    new Map<string, Value>([
      ["driver", driver],
      ["attributes", byDomain(driver, device.attributes ?? {}, attributeValue)],
      ["capacity", byDomain(driver, device.capacity ?? {}, ({ value }) => quantityOf(value))],
      ["allowMultipleAllocations", device.allowMultipleAllocations ?? false],
    ]),
  );
}

/** A domain of which the device has no names is empty, and no error. */
class Domains extends EntryMap {
  static readonly #none = new EntryMap();
  override get(key: Value): Value | undefined {
    return super.get(key) ?? (typeof key === "string" ? Domains.#none : undefined);
  }
  override has(key: Value): boolean {
    return super.get(key) !== undefined;
  }
}

function byDomain<T>(driver: string, named: Readonly<Record<string, T>>, read: (one: T) => Value): Value {
  const domains = new Map<string, EntryMap>();
  for (const [full, one] of Object.entries(named)) {
    const [domain, name] = splitName(driver, full);
    const names = domains.get(domain) ?? new EntryMap();
    domains.set(domain, names);
    names.set(name, read(one));
  }
  const all = new Domains();
  for (const [domain, names] of domains) all.set(domain, names);
  return all;
}

/** Names without a domain have that of the driver. */
function splitName(driver: string, full: string): readonly [domain: string, name: string] {
  const at = full.indexOf("/");
  return at < 0 ? [driver, full] : [full.slice(0, at), full.slice(at + 1)];
}

function attributeValue(attribute: PublishedAttribute): Value {
  const { int, bool: flag, string: text, version, ints, bools, strings, versions } = attribute;
  if (int !== undefined) return BigInt(int);
  if (version !== undefined) return versionOf(version);
  if (ints !== undefined) return new ArrayList(ints.map(BigInt));
  if (versions !== undefined) return new ArrayList(versions.map(versionOf));
  if (bools !== undefined || strings !== undefined) return new ArrayList(bools ?? strings ?? []);
  return flag ?? text ?? null;
}

/** For estimates of what an expression may cost. */
export const deviceSizeBound = (): number => deviceTextMax;
