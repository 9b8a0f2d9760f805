/**
 * The addresses of one IP family as objects: the ranges are those of the ServiceCIDRs, and an IPAddress holds each address that
 * is taken. Since 1.33; before, ranges come from a flag and claims are not shown.
 */

import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { parseIp } from "../../base/ip-address.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { type AddressRange, readAddressRange } from "./address-range.ts";
import type { IpFamily } from "./ip-families.ts";
import type { Holder, Pool } from "./pool.ts";
import { addressReserve, reservedOf, searchOrder } from "./search-order.ts";

interface AddressObjectsOptions {
  readonly family: IpFamily;
  readonly catalog: Catalog;
  /** Called when the first service is written or repaired. */
  readonly registry: () => Registry;
  /** The range of the flag, which is used until the ServiceCIDR that is made from it exists. */
  readonly configured: AddressRange;
  /** A whole number from 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
}

/** How many addresses of a range are tried before it counts as full. */
export const addressesTriedMax = 65_536;

export function createAddressObjects(options: AddressObjectsOptions): Pool {
  const { family, catalog, configured, random } = options;
  const { vocabulary } = catalog.environment;
  const addresses = catalog.of(IPAddress);
  const context = serverWrites("addresses of services", vocabulary);
  const managedBy = vocabulary.word("ipaddress.orch.io/managed-by");
  const manager = vocabulary.word("ipallocator.orch.io");
  const labels = { [vocabulary.word("ipaddress.orch.io/ip-family")]: family, [managedBy]: manager };
  const peek = (name: string) => options.registry().peek(addresses, { namespace: "", name });

  /** Those that may give addresses: without a condition they count as ready, since their controller may not run. */
  const ranges = (): readonly AddressRange[] => {
    const all = options.registry().peekAll(catalog.of(ServiceCIDR));
    if (all.length === 0) return [configured];
    return all.flatMap((entry) => {
      const { metadata, spec, status } = entry.object();
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      if (metadata.deletionTimestamp || (ready !== undefined && ready.status !== "True")) return [];
      const read = (spec?.cidrs ?? []).map(readAddressRange);
      return read.filter((range) => range?.family === family) as AddressRange[]; // so none is undefined
    });
  };

  const create = async (name: string, { namespace, name: service }: Holder): Promise<boolean> => {
    const parentRef = { resource: "services", namespace, name: service };
    const object = { metadata: { name, labels: { ...labels } }, spec: { parentRef } };
    try {
      await options.registry().create(addresses, object, { namespace: "", name }, context);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.reason === "AlreadyExists") return false;
      throw error;
    }
  };

  /** Free addresses. */
  function* candidates(): Generator<string> {
    for (const range of ranges()) {
      let tried = 0;
      for (const index of searchOrder(range.size, reservedOf(range.size, addressReserve), random)) {
        if (tried++ === addressesTriedMax) break;
        const name = range.at(index);
        if (peek(name) === undefined) yield name;
      }
    }
  }

  const canonical = (item: string): string | undefined => {
    for (const range of ranges()) {
      const found = range.canonical(item);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    range: {
      get text() {
        return ranges()
          .map(({ text }) => text)
          .join(", ");
      },
      canonical,
    },
    identify: ({ namespace, name }) => `${namespace}/${name}`,
    async take(item, holder) {
      const name = canonical(item);
      if (name === undefined) return "outside";
      return (await create(name, holder)) ? "taken" : "held";
    },
    async takeAny(holder) {
      for (const name of candidates()) if (await create(name, holder)) return name;
      return undefined;
    },
    propose: () => Promise.resolve(candidates().next().value ?? undefined),
    async ask(item) {
      const name = canonical(item);
      if (name === undefined) return "outside";
      return peek(name) === undefined ? "taken" : "held";
    },
    async free(item, holder) {
      const entry = peek(canonical(item) ?? item);
      if (entry === undefined || holderOf(entry.object()) !== holder) return;
      const { uid } = entry.object().metadata;
      const ref = { namespace: "", name: entry.name };
      await options
        .registry()
        .delete(addresses, ref, { preconditions: uid === undefined ? {} : { uid } }, context)
        .catch((error: unknown) => {
          // Somebody else has deleted it, or an object of the same name has come instead.
          if (!(error instanceof StatusError)) throw error;
          if (error.reason !== "NotFound" && error.reason !== "Conflict") throw error;
        });
    },
    async held() {
      const own = options
        .registry()
        .peekAll(addresses)
        .filter((entry) => entry.object().metadata.labels?.[managedBy] === manager)
        .filter(({ name }) => (parseIp(name)?.version === 4 ? "IPv4" : "IPv6") === family);
      return new Map(own.map((entry) => [entry.name, { holder: holderOf(entry.object()), revision: entry.revision }]));
    },
  };
}

function holderOf({ spec }: IPAddress): string {
  const { resource, namespace = "", name = "" } = spec?.parentRef ?? {};
  return resource === "services" ? `${namespace}/${name}` : "";
}
