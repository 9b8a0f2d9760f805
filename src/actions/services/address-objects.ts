/**
 * The addresses of one IP family as objects: the ranges are those of the ServiceCIDRs, and an IPAddress holds each address that
 * is taken. Since 1.33; before, ranges come from a flag and claims are not shown.
 */

import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { parseIp } from "../../base/ip-address.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
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
  return new AddressObjects(options);
}

class AddressObjects implements Pool {
  readonly range: ServedRanges;
  readonly #options: AddressObjectsOptions;
  readonly #addresses: BoundKind<IPAddress>;
  readonly #context: WriteContext;
  readonly #managedBy: string;
  readonly #manager: string;

  constructor(options: AddressObjectsOptions) {
    const { vocabulary } = options.catalog.environment;
    this.#options = options;
    this.range = new ServedRanges(options);
    this.#addresses = options.catalog.of(IPAddress);
    this.#context = serverWrites("addresses of services", vocabulary);
    this.#managedBy = vocabulary.word("ipaddress.orch.io/managed-by");
    this.#manager = vocabulary.word("ipallocator.orch.io");
  }

  get #registry(): Registry {
    return this.#options.registry();
  }

  identify({ namespace, name }: Holder): string {
    return `${namespace}/${name}`;
  }

  async take(item: string, holder: Holder): Promise<"taken" | "held" | "outside"> {
    const name = this.range.canonical(item);
    if (name === undefined) return "outside";
    return (await this.#create(name, holder)) ? "taken" : "held";
  }

  async takeAny(holder: Holder): Promise<string | undefined> {
    for (const name of this.#free()) if (await this.#create(name, holder)) return name;
    return undefined;
  }

  async propose(): Promise<string | undefined> {
    return this.#free().next().value ?? undefined;
  }

  async ask(item: string): Promise<"taken" | "held" | "outside"> {
    const name = this.range.canonical(item);
    if (name === undefined) return "outside";
    return this.#peek(name) === undefined ? "taken" : "held";
  }

  async free(item: string, holder: string): Promise<void> {
    const entry = this.#peek(this.range.canonical(item) ?? item);
    if (entry === undefined || holderOf(entry.object()) !== holder) return;
    const { uid } = entry.object().metadata;
    const preconditions = uid === undefined ? {} : { uid };
    try {
      await this.#registry.delete(this.#addresses, refOf(entry.name), { preconditions }, this.#context);
    } catch (error) {
      // Somebody else has deleted it, or an object of the same name has come instead.
      if (!isRefusal(error, "NotFound", "Conflict")) throw error;
    }
  }

  async held(): ReturnType<Pool["held"]> {
    const own = this.#registry
      .peekAll(this.#addresses)
      .filter((entry) => entry.object().metadata.labels?.[this.#managedBy] === this.#manager)
      .filter(({ name }) => (parseIp(name)?.version === 4 ? "IPv4" : "IPv6") === this.#options.family);
    return new Map(own.map((entry) => [entry.name, { holder: holderOf(entry.object()), revision: entry.revision }]));
  }

  *#free(): Generator<string> {
    for (const name of this.range.addresses()) if (this.#peek(name) === undefined) yield name;
  }

  #peek(name: string) {
    return this.#registry.peek(this.#addresses, refOf(name));
  }

  /** Whether nobody else has it. */
  async #create(name: string, { namespace, name: service }: Holder): Promise<boolean> {
    const { family, catalog } = this.#options;
    const ofFamily = catalog.environment.vocabulary.word("ipaddress.orch.io/ip-family");
    const labels = { [ofFamily]: family, [this.#managedBy]: this.#manager };
    const object = {
      metadata: { name, labels },
      spec: { parentRef: { resource: "services", namespace, name: service } },
    };
    try {
      await this.#registry.create(this.#addresses, object, refOf(name), this.#context);
      return true;
    } catch (error) {
      if (isRefusal(error, "AlreadyExists")) return false;
      throw error;
    }
  }
}

/** Those that may give addresses. */
class ServedRanges {
  readonly #options: AddressObjectsOptions;

  constructor(options: AddressObjectsOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#all()
      .map(({ text }) => text)
      .join(", ");
  }

  canonical(item: string): string | undefined {
    for (const range of this.#all()) {
      const found = range.canonical(item);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** In the order in which they are tried. */
  *addresses(): Generator<string> {
    for (const range of this.#all()) {
      let tried = 0;
      for (const index of searchOrder(range.size, reservedOf(range.size, addressReserve), this.#options.random)) {
        if (tried++ === addressesTriedMax) break;
        yield range.at(index);
      }
    }
  }

  /** A ServiceCIDR without a condition counts as ready, since its controller may not run. */
  #all(): readonly AddressRange[] {
    const { registry, catalog, configured, family } = this.#options;
    const all = registry().peekAll(catalog.of(ServiceCIDR));
    if (all.length === 0) return [configured];
    return all.flatMap((entry) => {
      const { metadata, spec, status } = entry.object();
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      if (metadata.deletionTimestamp || (ready !== undefined && ready.status !== "True")) return [];
      const read = (spec?.cidrs ?? []).map(readAddressRange);
      return read.filter((range) => range?.family === family) as AddressRange[]; // so none is undefined
    });
  }
}

const refOf = (name: string) => ({ namespace: "", name });

const isRefusal = (error: unknown, ...reasons: readonly string[]): boolean =>
  error instanceof StatusError && reasons.includes(error.reason ?? "");

function holderOf({ spec }: IPAddress): string {
  const { resource, namespace = "", name = "" } = spec?.parentRef ?? {};
  return resource === "services" ? `${namespace}/${name}` : "";
}
