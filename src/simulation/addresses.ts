/**
 * Addresses of simulated nodes and pods, of ranges that no host may have (RFC 6890): 198.18.0.0/15 is reserved for benchmarks, 240.0.0.0/4
 * for a future that has not come. Nodes have the first quarter of a /16, pods the rest of the /15, and 240.0.0.0/5 when those are used up.
 */

import { formatIp, parseIp } from "../base/ip-address.ts";

const benchmarks = { first: 0xc612_0000, count: 1 << 17 };
const nodesCount = 1 << 14;
const reserved = { first: 0xf000_0000, count: 1 << 27 };

/** How many pods can have an address at once. */
export const podAddressesMax = benchmarks.count - nodesCount + reserved.count - 1;

/** The address of the node at this position. */
export const nodeAddress = (at: number): string => textOf(benchmarks.first + (at % nodesCount));

/** Undefined: it is not the address of a node. Nodes of earlier versions have addresses of 10.64.0.0/16, until their agents start again. */
export function nodePositionAt(address: string): number | undefined {
  const [, high, low] = /^10\.64\.(\d{1,3})\.(\d{1,3})$/.exec(address) ?? [];
  if (high !== undefined) return Number(high) * 256 + Number(low);
  const at = numberOf(address) - benchmarks.first;
  return at >= 0 && at < nodesCount ? at : undefined;
}

/** Whether only simulated nodes and pods have such an address, so that nothing connects to it. */
export function isMadeUp(address: string): boolean {
  const number = numberOf(address);
  return [benchmarks, reserved].some(({ first, count }) => number >= first && number < first + count);
}

/** Addresses of pods, each given once. */
export class PodAddresses {
  #next = 0;

  /** `isTaken`: by a pod of an earlier agent. */
  take(isTaken: (address: string) => boolean): string {
    for (let tries = 0; tries < podAddressesMax; tries++) {
      const address = podAddress(this.#next);
      this.#next = (this.#next + 1) % podAddressesMax;
      if (!isTaken(address)) return address;
    }
    throw new Error("no address is left for another pod");
  }
}

export function podAddress(at: number): string {
  const near = benchmarks.count - nodesCount;
  return textOf(at < near ? benchmarks.first + nodesCount + at : reserved.first + 1 + at - near);
}

const textOf = (number: number): string => formatIp({ version: 4, value: BigInt(number) });

/** -1: not an IPv4 address. */
function numberOf(address: string): number {
  const ip = parseIp(address);
  return ip?.version === 4 ? Number(ip.value) : -1;
}
