/** The devices that drivers publish in slices, by the nodes that can use them. */

import type { Node } from "../../api/core/v1/node.ts";
import type { NodeSelectorTerm } from "../../api/core/v1/pod/scheduling.ts";
import type { CounterSet, Device } from "../../api/resource/v1/device.ts";
import { SelectableDevice } from "../../api/resource/v1/device-selection.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";

type NodeSelector = { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] };

/** Which nodes can use a device: one, those that a selector matches, or all. */
interface DevicePlace {
  readonly nodeName?: string | undefined;
  readonly nodeSelector?: NodeSelector | undefined;
}

/** A device that can be allocated. */
export interface PoolDevice {
  /** Unique: driver, pool and name. */
  readonly id: string;
  readonly driver: string;
  readonly pool: DevicePool;
  readonly device: Device;
  readonly place: DevicePlace;
  readonly selectable: SelectableDevice;
}

export interface DevicePool {
  readonly driver: string;
  readonly name: string;
  readonly counters: readonly CounterSet[];
  readonly devices: PoolDevice[];
}

export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

export class DevicePools {
  readonly #slices = new Map<string, ResourceSlice>();
  /** By the name of the node; undefined: a slice has come or gone since. */
  #byNode: Map<string, PoolDevice[]> | undefined;
  /** Those that several nodes can use. */
  #shared: PoolDevice[] = [];

  set(slice: ResourceSlice): void {
    this.#slices.set(slice.metadata.name ?? "", slice);
    this.#byNode = undefined;
  }

  delete({ metadata }: ResourceSlice): void {
    this.#slices.delete(metadata.name ?? "");
    this.#byNode = undefined;
  }

  /** Whether nothing is published. */
  get isEmpty(): boolean {
    return this.#slices.size === 0;
  }

  /** What a node can use. */
  at(node: Node): readonly PoolDevice[] {
    const own = this.#sorted().get(node.metadata.name ?? "") ?? [];
    if (this.#shared.length === 0) return own;
    return [...own, ...this.#shared.filter(({ place }) => canUse(place, node))];
  }

  #sorted(): Map<string, PoolDevice[]> {
    if (this.#byNode !== undefined) return this.#byNode;
    const byNode = new Map<string, PoolDevice[]>();
    const shared: PoolDevice[] = [];
    for (const slices of completePools(this.#slices.values())) {
      for (const device of devicesOf(slices)) {
        const { nodeName } = device.place;
        if (nodeName === undefined) {
          shared.push(device);
          continue;
        }
        const there = byNode.get(nodeName) ?? [];
        byNode.set(nodeName, there);
        there.push(device);
      }
    }
    this.#byNode = byNode;
    this.#shared = shared;
    return byNode;
  }
}

function canUse({ nodeSelector }: DevicePlace, node: Node): boolean {
  if (nodeSelector === undefined) return true;
  const required = nodeSelector as { nodeSelectorTerms: NodeSelectorTerm[] };
  return fitsNode({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }, node);
}

/** The slices of each pool in its newest generation, once all of them are there: a driver may be about to publish the others. */
function completePools(slices: Iterable<ResourceSlice>): readonly (readonly ResourceSlice[])[] {
  const pools = new Map<string, { generation: number; slices: ResourceSlice[] }>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const generation = Number(pool.generation);
    const key = `${driver}/${pool.name}`;
    const known = pools.get(key);
    if (known === undefined || generation > known.generation) pools.set(key, { generation, slices: [slice] });
    else if (generation === known.generation) known.slices.push(slice);
  }
  return [...pools.values()].flatMap((pool) => {
    const wanted = Number(pool.slices[0]?.spec.pool.resourceSliceCount ?? 0);
    return pool.slices.length === wanted ? [pool.slices] : [];
  });
}

/** In the order of their names. A pool in which a name is twice has none: nobody could tell which of them is used. */
function devicesOf(unordered: readonly ResourceSlice[]): readonly PoolDevice[] {
  const slices = [...unordered].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const [first] = slices;
  if (first === undefined) return [];
  const { driver } = first.spec;
  const counters = slices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const pool: DevicePool = { driver, name: first.spec.pool.name, counters, devices: [] };
  const names = new Set<string>();
  for (const { spec } of slices) {
    for (const device of spec.devices ?? []) {
      if (names.has(device.name)) return [];
      names.add(device.name);
      const { nodeName, nodeSelector } = spec.perDeviceNodeSelection === true ? device : spec;
      pool.devices.push({
        id: deviceId(driver, pool.name, device.name),
        driver,
        pool,
        device,
        place: { nodeName: nodeName || undefined, nodeSelector: nodeSelector ?? undefined },
        selectable: new SelectableDevice(driver, device),
      });
    }
  }
  return pool.devices;
}
