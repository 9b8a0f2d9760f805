/** Ranges of addresses for nodes: parts of equal size of a larger range, each allocated once. */

import { formatIp, parseIp } from "../../base/ip-address.ts";

/** No range is cut into more parts, as in v1.21. */
const partsPerRangeMax = 65_536;

interface NodeRangeOptions {
  readonly cidr: string;
  /** Bits of each part's prefix. */
  readonly partBits: number;
}

export class Ranges {
  readonly #base: bigint;
  readonly #bits: number;
  readonly #partBits: number;
  readonly #version: 4 | 6;
  readonly #taken = new Set<number>();
  readonly #count: number;
  #next = 0;

  /** Throws an Error if the range cannot be divided in this way. */
  constructor({ cidr, partBits }: NodeRangeOptions) {
    const { base, bits, version } = parseCidr(cidr);
    const width = version === 4 ? 32 : 128;
    if (partBits < bits || partBits > width) throw new Error(`a node's range of /${partBits} does not fit in ${cidr}`);
    if (2 ** (partBits - bits) > partsPerRangeMax)
      throw new Error(`${cidr} has more than ${partsPerRangeMax} ranges of /${partBits}`);
    this.#base = base;
    this.#bits = bits;
    this.#partBits = partBits;
    this.#version = version;
    this.#count = 2 ** (partBits - bits);
  }

  /** Undefined: all are in use. Released parts come last, so that old addresses are not reused soon. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#count; tried++) {
      const at = (this.#next + tried) % this.#count;
      if (this.#taken.has(at)) continue;
      this.#taken.add(at);
      this.#next = (at + 1) % this.#count;
      return this.#textOf(at);
    }
    return undefined;
  }
  /** Marks everything that the range overlaps as used; other ranges are ignored. */
  occupy(cidr: string): void {
    for (const at of this.#overlapping(cidr)) this.#taken.add(at);
  }
  giveBack(cidr: string): void {
    for (const at of this.#overlapping(cidr)) this.#taken.delete(at);
  }

  #overlapping(cidr: string): readonly number[] {
    const { base, bits, version } = parseCidr(cidr);
    if (version !== this.#version) return [];
    const width = BigInt(version === 4 ? 32 : 128);
    const size = 1n << (width - BigInt(this.#partBits));
    const whole = 1n << (width - BigInt(this.#bits));
    const end = base + (1n << (width - BigInt(bits)));
    const from = base > this.#base ? base : this.#base;
    const to = end < this.#base + whole ? end : this.#base + whole;
    const found: number[] = [];
    for (let at = (from - this.#base) / size; this.#base + at * size < to; at++) found.push(Number(at));
    return found;
  }

  #textOf(at: number): string {
    const width = this.#version === 4 ? 32 : 128;
    const value = this.#base + (BigInt(at) << BigInt(width - this.#partBits));
    return `${formatIp({ version: this.#version, value })}/${this.#partBits}`;
  }
}

function parseCidr(cidr: string): { base: bigint; bits: number; version: 4 | 6 } {
  const [address = "", length = ""] = cidr.split("/");
  const parsed = parseIp(address);
  const width = parsed?.version === 6 ? 128 : 32;
  const bits = Number(length);
  if (parsed === undefined || !/^\d{1,3}$/.test(length) || bits > width)
    throw new Error(`"${cidr}" must be a range such as 10.1.0.0/16`);
  const rest = BigInt(width - bits);
  return { base: (parsed.value >> rest) << rest, bits, version: parsed.version };
}
