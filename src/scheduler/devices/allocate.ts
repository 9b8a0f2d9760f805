/** Finds devices for all claims of a pod on one node: the first that fit, in the order in which drivers publish them. */

import { devicesMax } from "../../api/resource/v1/allocation.ts";
import type { DeviceConstraint } from "../../api/resource/v1/device-claim.ts";
import type { Answer, SelectableDevice } from "../../api/resource/v1/device-selection.ts";
import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import { consumedOf, fullName } from "./consumed.ts";
import type { DevicePool, PoolDevice } from "./pools.ts";
import { nanoOf, type UsedDevices } from "./used-devices.ts";
import type { WantedClaim, WantedDevices } from "./wanted.ts";

/**
 * How many devices are tried, and compared with others by constraints, on one node for one pod. Requests that depend on each other may have
 * very many combinations.
 */
export const deviceTriesMax = 10_000;
/** How often the devices of one node are looked through for the requests of one pod: one device for one request. */
export const deviceMatchesMax = 200_000;

/** A device for a request. */
export interface Granted {
  readonly form: WantedDevices;
  readonly device: PoolDevice;
  /** What it takes of a device that is shared. Undefined: the device is not. */
  readonly consumed: ReadonlyMap<string, string> | undefined;
}

export interface Granting {
  /** For each claim; undefined: the node does not have enough. A text: why it is not known. */
  readonly granted: readonly (readonly Granted[])[] | undefined | string;
  readonly tries: number;
}

interface DeviceSupply {
  /** What the node can use. */
  readonly devices: readonly PoolDevice[];
  readonly used: UsedDevices;
  ask(expression: string, device: SelectableDevice): Answer;
  /** Taints that the driver does not know of. */
  taintsOf(device: PoolDevice): NonNullable<PoolDevice["device"]["taints"]>;
}

export function allocate(claims: readonly WantedClaim[], supply: DeviceSupply): Granting {
  const search = new Search(claims, supply);
  try {
    const isFound = search.from(0, 0);
    return { granted: isFound ? search.granted : undefined, tries: search.tries };
  } catch (error) {
    if (error instanceof Unknown) return { granted: error.message, tries: search.tries };
    throw error;
  }
}

const tooLong = "timed out trying to allocate devices";

/** Ends a search: what it depends on cannot be found out. */
class Unknown extends Error {}

const none = new Map<string, bigint>();
const keepingAway = ["NoSchedule", "NoExecute"];

class Search {
  readonly #claims: readonly WantedClaim[];
  readonly #supply: DeviceSupply;
  readonly granted: Granted[][];
  tries = 0;
  #matches = 0;
  /** How often this search has given a device away. */
  readonly #taken = new Map<string, number>();
  /** What this search has given away of shared devices. */
  readonly #shares = new Map<string, Map<string, bigint>>();
  /** What is used of the counters of a pool, in all. */
  readonly #counters = new Map<DevicePool, Map<string, bigint>>();
  readonly #matching = new Map<WantedDevices, readonly PoolDevice[]>();

  constructor(claims: readonly WantedClaim[], supply: DeviceSupply) {
    this.#claims = claims;
    this.#supply = supply;
    this.granted = claims.map(() => []);
  }

  /** Whether all is found from this request on. */
  from(claim: number, request: number): boolean {
    const { requests } = this.#claims[claim] ?? { requests: [] };
    if (claim >= this.#claims.length) return true;
    const wanted = requests[request];
    if (wanted === undefined) return this.from(claim + 1, 0);
    return wanted.forms.some((form) => this.#meet(claim, request, form));
  }

  #meet(claim: number, request: number, form: WantedDevices): boolean {
    const matching = this.#matchingOf(form);
    if (form.count !== undefined) return this.#choose(claim, request, form, matching, form.count, 0);
    const mine = this.granted[claim]!; // there is one for each claim
    const before = mine.length;
    const hasAll = matching.length > 0 && matching.every((device) => this.#take(claim, form, device));
    if (hasAll && this.from(claim, request + 1)) return true;
    while (mine.length > before) this.#putBack(claim);
    return false;
  }

  /** So many devices of those from a place on. */
  #choose(
    claim: number,
    request: number,
    form: WantedDevices,
    matching: readonly PoolDevice[],
    count: number,
    start: number,
  ): boolean {
    if (count === 0) return this.from(claim, request + 1);
    for (let at = start; at < matching.length; at++) {
      const device = matching[at]!; // within the list
      if (!this.#take(claim, form, device)) continue;
      const isShared = device.device.allowMultipleAllocations === true;
      if (this.#choose(claim, request, form, matching, count - 1, isShared ? at : at + 1)) return true;
      this.#putBack(claim);
    }
    return false;
  }

  #matchingOf(form: WantedDevices): readonly PoolDevice[] {
    const known = this.#matching.get(form);
    if (known !== undefined) return known;
    const { devices, ask } = this.#supply;
    this.#matches += devices.length;
    if (this.#matches > deviceMatchesMax) throw new Unknown(tooLong);
    const matching = devices.filter(({ selectable, id, device }) => {
      // Nobody here waits for the conditions that such a device asks for.
      if ((device.bindingConditions ?? []).length > 0) return false;
      return form.expressions.every((expression) => {
        const answer = ask(expression, selectable);
        if (typeof answer === "boolean") return answer;
        throw new Unknown(
          `request ${form.name}: an expression cannot be evaluated for the device ${id}: ${answer.problem}`,
        );
      });
    });
    this.#matching.set(form, matching);
    return matching;
  }

  #take(claim: number, form: WantedDevices, device: PoolDevice): boolean {
    const mine = this.granted[claim]!; // there is one for each claim
    const { constraints } = this.#claims[claim]!; // it exists
    this.tries += 1 + constraints.length * mine.length;
    if (this.tries > deviceTriesMax) throw new Unknown(tooLong);
    const isShared = device.device.allowMultipleAllocations === true;
    const consumed = consumedOf(device.driver, device.device, form.capacity);
    const fits =
      mine.length < devicesMax &&
      consumed !== undefined &&
      this.#isTolerated(form, device) &&
      (form.isForAdmin || this.#isFree(device, isShared ? consumed : undefined)) &&
      (form.isForAdmin || this.#hasCounters(device)) &&
      constraints.every((constraint) => agrees(constraint, mine, form, device));
    if (!fits) return false;
    mine.push({ form, device, consumed: isShared && !form.isForAdmin ? consumed : undefined });
    this.#count(mine.at(-1)!, 1n); // it was added
    return true;
  }

  #putBack(claim: number): void {
    const last = this.granted[claim]?.pop();
    if (last !== undefined) this.#count(last, -1n);
  }

  #count({ form, device, consumed }: Granted, by: 1n | -1n): void {
    if (form.isForAdmin) return;
    const { id, pool } = device;
    const before = this.#taken.get(id) ?? 0;
    this.#taken.set(id, before + Number(by));
    // All who share a device use its counters once.
    const isOnly = (by > 0n ? before : before - 1) === 0 && !this.#supply.used.has(id);
    if (isOnly) addCounters(this.#countersOf(pool), device, by);
    if (consumed === undefined) return;
    const sums = this.#shares.get(id) ?? new Map<string, bigint>();
    this.#shares.set(id, sums);
    for (const [name, amount] of consumed) sums.set(name, (sums.get(name) ?? 0n) + by * nanoOf(amount));
  }

  #isInUse(id: string): boolean {
    return this.#supply.used.has(id) || (this.#taken.get(id) ?? 0) > 0;
  }

  #isTolerated({ tolerations }: WantedDevices, device: PoolDevice): boolean {
    return [...(device.device.taints ?? []), ...this.#supply.taintsOf(device)].every(
      (taint) => !keepingAway.includes(taint.effect) || tolerations.some((toleration) => tolerates(toleration, taint)),
    );
  }

  #isFree({ id, device }: PoolDevice, consumed: ReadonlyMap<string, string> | undefined): boolean {
    const { used } = this.#supply;
    if (consumed === undefined) return !this.#isInUse(id);
    if (used.hasWhole(id)) return false;
    const [before, mine] = [used.sharesOf(id) ?? none, this.#shares.get(id) ?? none];
    return [...consumed].every(
      ([name, amount]) =>
        (before.get(name) ?? 0n) + (mine.get(name) ?? 0n) + nanoOf(amount) <= nanoOf(device.capacity?.[name]?.value),
    );
  }

  #hasCounters({ id, pool, device }: PoolDevice): boolean {
    const uses = device.consumesCounters ?? [];
    if (uses.length === 0 || this.#isInUse(id)) return true;
    const used = this.#countersOf(pool);
    return uses.every(({ counterSet, counters }) => {
      const set = pool.counters.find(({ name }) => name === counterSet);
      return Object.entries(counters).every(
        ([name, { value }]) =>
          (used.get(`${counterSet}/${name}`) ?? 0n) + nanoOf(value) <= nanoOf(set?.counters[name]?.value),
      );
    });
  }

  #countersOf(pool: DevicePool): Map<string, bigint> {
    const known = this.#counters.get(pool);
    if (known !== undefined) return known;
    const sums = new Map<string, bigint>();
    const { used } = this.#supply;
    if (pool.counters.length > 0)
      for (const device of pool.devices) if (used.has(device.id)) addCounters(sums, device, 1n);
    this.#counters.set(pool, sums);
    return sums;
  }
}

function addCounters(sums: Map<string, bigint>, { device }: PoolDevice, by: 1n | -1n): void {
  for (const { counterSet, counters } of device.consumesCounters ?? [])
    for (const [name, { value }] of Object.entries(counters)) {
      const key = `${counterSet}/${name}`;
      sums.set(key, (sums.get(key) ?? 0n) + by * nanoOf(value));
    }
}

/** Whether a constraint allows one device more. */
function agrees(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  granted: readonly Granted[],
  form: WantedDevices,
  device: PoolDevice,
): boolean {
  const isAbout = ({ name }: WantedDevices) =>
    requests.length === 0 || requests.includes(name) || requests.includes(name.split("/")[0] ?? "");
  if (!isAbout(form)) return true;
  const others = granted.filter((one) => isAbout(one.form)).map((one) => one.device);
  if (matchAttribute !== undefined) {
    const value = attributeOf(device, matchAttribute);
    return value !== undefined && others.every((other) => attributeOf(other, matchAttribute) === value);
  }
  if (distinctAttribute === undefined) return true;
  const value = attributeOf(device, distinctAttribute);
  return value !== undefined && others.every((other) => attributeOf(other, distinctAttribute) !== value);
}

/** Texts that are the same for the same value, by the full name of the attribute. */
const attributesOf = new WeakMap<PoolDevice, ReadonlyMap<string, string>>();

function attributeOf(device: PoolDevice, name: string): string | undefined {
  let known = attributesOf.get(device);
  if (known === undefined) {
    const entries = Object.entries(device.device.attributes ?? {});
    known = new Map(entries.map(([each, value]) => [fullName(device.driver, each), textOf(value)]));
    attributesOf.set(device, known);
  }
  return known.get(name);
}

const textOf = (attribute: object): string =>
  JSON.stringify(Object.entries(attribute), (_key, value) => (typeof value === "bigint" ? `${value}` : value));
