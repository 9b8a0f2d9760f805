/** Finds claims without a service and services without a claim, as a crash between two writes leaves them. */

import { familyOf } from "../../api/core/v1/validate-service-addresses.ts";
import type { Log } from "../../base/log.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry, Registry } from "../../registry/contract.ts";
import type { AddressPools } from "./cluster-ips.ts";
import type { Pool } from "./pool.ts";
import type { Items } from "./services.ts";

export interface RepairOptions {
  readonly registry: Registry;
  readonly family: Family;
  readonly pools: AddressPools;
  readonly ports: Pool;
  /** Claims without a service that the last round saw, with their revisions; changed. */
  readonly suspects: Map<string, bigint>;
  readonly alone: boolean;
  readonly log: Log;
  readonly itemsOf: (object: ApiObject) => Items;
}

export async function repairClaims(options: RepairOptions): Promise<void> {
  const { registry, family, pools, ports } = options;
  // Claims are read first: a service that is stored in between is then seen in the list.
  const read = async (pool: Pool) => [pool, await pool.held()] as const;
  const claimed = new Map(await Promise.all([...pools.values(), ports].map(read)));
  const owned = new Map<Pool, Map<string, string>>([...claimed.keys()].map((pool) => [pool, new Map()]));
  const { entries } = await registry.list(family.hub, { namespace: "" });
  for (const entry of entries) await claimAgain(options, entry, claimed, owned);
  await freeLeaks(options, claimed, owned);
}

/** What a stored service has is its own, whether it says so in a claim or not. */
async function claimAgain(
  { family, pools, ports, alone, log, itemsOf }: RepairOptions,
  entry: Entry,
  claimed: Claimed,
  owned: ReadonlyMap<Pool, Map<string, string>>,
): Promise<void> {
  const object = family.stored.toHub(entry.object());
  const uid = object.metadata.uid ?? "";
  const { ips, ports: numbers } = itemsOf(object);
  const wanted = [
    ...ips.map((item) => ({ pool: pools.get(familyOf(item)), item })),
    ...numbers.map((item) => ({ pool: ports, item })),
  ];
  const { namespace, name: service } = entry;
  for (const { pool, item } of wanted) {
    const name = pool?.range.canonical(item);
    if (pool === undefined || name === undefined) {
      log.warn("a service has what is outside of the configured range", { namespace, service, item });
      continue;
    }
    const holder = claimed.get(pool)?.get(name)?.holder;
    const other = owned.get(pool)?.get(name);
    if (other === undefined) owned.get(pool)?.set(name, uid);
    if (holder === uid) continue;
    if (other === undefined && holder !== undefined && alone) await pool.free(name, holder);
    if ((await pool.take(name, uid)) !== "taken") {
      log.warn("a service has what another one has too", { namespace, service, item });
    }
  }
}

type Claimed = ReadonlyMap<Pool, Awaited<ReturnType<Pool["held"]>>>;

async function freeLeaks(
  { suspects, alone, log }: RepairOptions,
  claimed: Claimed,
  owned: ReadonlyMap<Pool, ReadonlyMap<string, string>>,
): Promise<void> {
  const seen = new Map<string, bigint>();
  for (const [pool, claims] of claimed) {
    for (const [name, { holder, revision }] of claims) {
      if (owned.get(pool)?.has(name)) continue;
      const identity = `${pool.range.text} ${name}`;
      if (alone || suspects.get(identity) === revision) {
        await pool.free(name, holder);
        log.info("a service address or port that nobody held is free again", { item: name });
      } else seen.set(identity, revision);
    }
  }
  suspects.clear();
  for (const [identity, revision] of seen) suspects.set(identity, revision);
}
