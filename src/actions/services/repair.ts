/**
 * Makes claims and services agree. A crash between two writes leaves a claim without a service; a store that was restored
 * from several copies may have services without a claim, or two that hold each other's claims.
 */

import { familyOf } from "../../api/core/v1/service/validate-addresses.ts";
import type { Log } from "../../base/log.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { isUnreadable } from "../../registry/contract/transformer.ts";
import type { AddressPools } from "./cluster-ips.ts";
import type { Holder, Pool } from "./pool.ts";
import type { Items } from "./services.ts";

interface RepairOptions {
  readonly registry: Registry;
  readonly family: Family;
  readonly pools: AddressPools;
  readonly ports: Pool;
  /** Claims without a service in the last round, with their revisions; this function changes it. */
  readonly suspects: Map<string, bigint>;
  readonly alone: boolean;
  readonly log: Log;
  readonly itemsOf: (object: ApiObject) => Items;
}

export async function repairClaims(options: RepairOptions): Promise<void> {
  const { pools, ports, suspects, alone, log } = options;
  // Claims are read first: a service that is stored in between is then seen in the list.
  const read = async (pool: Pool) => [pool, await pool.held()] as const;
  const claimed = await Promise.all([...pools.values(), ports].map(read));
  const owners = await findOwners(options).catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    log.warn("addresses and ports are not released while a service cannot be read", { error });
  });
  if (owners === undefined) return;

  const seen = new Map<string, bigint>();
  for (const [pool, claims] of claimed) {
    const wanted = owners.get(pool) ?? new Map<string, Holder[]>();
    const isRight = (name: string) =>
      wanted.get(name)?.some((owner) => pool.identify(owner) === claims.get(name)?.holder) === true;
    for (const [name, { holder, revision }] of claims) {
      if (isRight(name)) continue;
      const identity = `${pool.range.text} ${name}`;
      if (alone || suspects.get(identity) === revision) {
        await pool.free(name, holder);
        log.info("released a service address or port that no service uses", { item: name });
      } else seen.set(identity, revision);
    }
    for (const [name, [first, ...others]] of wanted) {
      // A suspected claim stays until the next round.
      if (first !== undefined && !isRight(name)) await pool.take(name, first);
      for (const { namespace, name: service } of others) {
        log.warn("a service address or port is used by two services", { namespace, service, item: name });
      }
    }
  }
  suspects.clear();
  for (const [identity, revision] of seen) suspects.set(identity, revision);
}

/** What stored services have belongs to them, with or without a claim. By pool and name. */
async function findOwners(options: RepairOptions): Promise<ReadonlyMap<Pool, ReadonlyMap<string, Holder[]>>> {
  const { registry, family, pools, ports, log, itemsOf } = options;
  const owners = new Map<Pool, Map<string, Holder[]>>([...pools.values(), ports].map((pool) => [pool, new Map()]));
  const { entries } = await registry.list(family.hub, { namespace: "" });
  for (const entry of entries) {
    const { namespace, name: service } = entry;
    const object = entry.version.toHub(entry.object());
    const owner = { uid: object.metadata.uid ?? "", namespace, name: service };
    const items = itemsOf(object);
    const wanted = [
      ...items.ips.map((item) => ({ pool: pools.get(familyOf(item)), item })),
      ...items.ports.map((item) => ({ pool: ports, item })),
    ];
    for (const { pool, item } of wanted) {
      const name = pool?.range.canonical(item);
      const known = pool && owners.get(pool);
      if (known === undefined || name === undefined) {
        log.warn("a service address or port is outside the configured range", { namespace, service, item });
        continue;
      }
      known.set(name, [...(known.get(name) ?? []), owner]);
    }
  }
  return owners;
}
