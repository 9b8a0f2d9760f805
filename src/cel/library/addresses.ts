/** IP addresses and the networks (CIDR) that contain them. */

import { formatIp, type IpAddress, parseIp } from "../../base/ip-address.ts";
import { traversalFactor } from "../cost/constants.ts";
import { add, scale } from "../cost/range.ts";
import { bool, int, objectType, string } from "../types/types.ts";
import { sizeOf } from "../values/size.ts";
import { EvaluationError, Opaque, type Value } from "../values/values.ts";
import {
  declare,
  type EstimatedCall,
  type FunctionDeclaration,
  member,
  nominal,
  type Overload,
  overload,
  traversal,
} from "./declaration.ts";

const ipType = objectType("net.IP");
const cidrType = objectType("net.CIDR");

class Ip extends Opaque {
  readonly type = ipType;
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    super();
    this.address = address;
  }
  override get size(): number {
    return this.address.version === 4 ? 4 : 16;
  }
  equals(other: Value): boolean {
    return (
      other instanceof Ip &&
      other.address.version === this.address.version &&
      other.address.value === this.address.value
    );
  }
}

class Cidr extends Opaque {
  readonly type = cidrType;
  readonly address: IpAddress;
  readonly length: number;
  constructor(address: IpAddress, length: number) {
    super();
    this.address = address;
    this.length = length;
  }
  /** Bytes of the prefix. */
  override get size(): number {
    return Math.ceil(this.length / 8);
  }
  get bits(): number {
    return this.address.version === 4 ? 32 : 128;
  }
  equals(other: Value): boolean {
    return (
      other instanceof Cidr &&
      other.address.version === this.address.version &&
      other.address.value === this.address.value &&
      other.length === this.length
    );
  }
  prefixOf(address: IpAddress): bigint {
    return address.value >> BigInt(this.bits - this.length);
  }
  contains(address: IpAddress): boolean {
    return address.version === this.address.version && this.prefixOf(address) === this.prefixOf(this.address);
  }
  masked(): Cidr {
    const value = this.prefixOf(this.address) << BigInt(this.bits - this.length);
    return new Cidr({ version: this.address.version, value }, this.length);
  }
}

/** IPv4 addresses written as IPv6 are refused. */
function parseAddress(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address?.version === 4 && text.includes(":") ? undefined : address;
}

function ipOf(text: string): Value {
  const address = parseAddress(text);
  return address === undefined
    ? new EvaluationError(`IP Address "${text.slice(0, 64)}" parse error during conversion from string`)
    : new Ip(address);
}

function parseCidr(text: string): Cidr | undefined {
  const match = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text);
  const address = match === null ? undefined : parseAddress(match[1]!);
  if (address === undefined) return undefined;
  const length = Number(match![2]);
  return length > (address.version === 4 ? 32 : 128) ? undefined : new Cidr(address, length);
}

const cidrOf = (text: string): Value =>
  parseCidr(text) ??
  new EvaluationError(`network address parse error during conversion from string: "${text.slice(0, 64)}"`);

const ipQuestion = (name: string, test: (address: IpAddress) => boolean): FunctionDeclaration =>
  declare(
    name,
    "1.30",
    member([ipType], bool, ([ip]) => test((ip as Ip).address), nominal),
  );

const within = (text: string) => {
  const network = parseCidr(text)!;
  return (address: IpAddress) => network.contains(address);
};
const isLoopback = [within("127.0.0.0/8"), within("::1/128")];
const isLinkLocalUnicast = [within("169.254.0.0/16"), within("fe80::/10")];
const isMulticast = [within("224.0.0.0/4"), within("ff00::/8")];
const any = (tests: readonly ((address: IpAddress) => boolean)[]) => (address: IpAddress) =>
  tests.some((test) => test(address));

const isLinkLocalMulticast = (address: IpAddress): boolean =>
  address.version === 4 ? address.value >> 8n === 0xe0_00_00n : ((address.value >> 112n) & 0xff0fn) === 0xff02n;

const isGlobalUnicast = (address: IpAddress): boolean =>
  address.value !== 0n &&
  !(address.version === 4 && address.value === 0xffff_ffffn) &&
  ![...isLoopback, ...isMulticast, ...isLinkLocalUnicast].some((test) => test(address));

/** Prefixes are compared byte by byte; a text is parsed before. */
function containment(more: (bytes: number) => number, isText: boolean): Pick<Overload, "cost" | "estimate"> {
  const ofBytes = (bytes: number) => Math.ceil(2 * bytes * traversalFactor) + more(bytes);
  return {
    cost: ([network, other]) =>
      ofBytes((network as Cidr).size) + (isText ? Math.ceil(sizeOf(other!) * traversalFactor) : 0),
    estimate: ({ args: [, other] }: EstimatedCall) => {
      const cost = { min: ofBytes(4), max: ofBytes(16) };
      return { cost: isText ? add(cost, scale(other!.size, traversalFactor)) : cost };
    },
  };
}
const nothingMore = () => 0;
const masking = (bytes: number) => Math.ceil(bytes * traversalFactor) + 1;

const containsIp = (network: Value | undefined, ip: Value): Value =>
  ip instanceof Ip ? (network as Cidr).contains(ip.address) : ip;
const containsCidr = (network: Value | undefined, other: Value): Value =>
  other instanceof Cidr ? other.length >= (network as Cidr).length && (network as Cidr).contains(other.address) : other;

const parseCosts = traversal(0);

export const addresses: readonly FunctionDeclaration[] = [
  declare(
    "ip",
    "1.30",
    overload([string], ipType, ([text]) => ipOf(text as string), parseCosts),
    member([cidrType], ipType, ([network]) => new Ip((network as Cidr).address), nominal),
  ),
  declare(
    "isIP",
    "1.30",
    overload([string], bool, ([text]) => parseAddress(text as string) !== undefined, parseCosts),
  ),
  declare(
    "ip.isCanonical",
    "1.30",
    overload(
      [string],
      bool,
      ([text]) => {
        const ip = ipOf(text as string);
        return ip instanceof Ip ? formatIp(ip.address) === text : ip;
      },
      traversal(0, 2),
    ),
  ),
  declare(
    "family",
    "1.30",
    member([ipType], int, ([ip]) => BigInt((ip as Ip).address.version), nominal),
  ),
  ipQuestion("isUnspecified", ({ value }) => value === 0n),
  ipQuestion("isLoopback", any(isLoopback)),
  ipQuestion("isLinkLocalMulticast", isLinkLocalMulticast),
  ipQuestion("isLinkLocalUnicast", any(isLinkLocalUnicast)),
  ipQuestion("isGlobalUnicast", isGlobalUnicast),
  declare(
    "cidr",
    "1.30",
    overload([string], cidrType, ([text]) => cidrOf(text as string), parseCosts),
  ),
  declare(
    "isCIDR",
    "1.30",
    overload([string], bool, ([text]) => parseCidr(text as string) !== undefined, parseCosts),
  ),
  declare(
    "containsIP",
    "1.30",
    member(
      [cidrType, string],
      bool,
      ([network, text]) => containsIp(network, ipOf(text as string)),
      containment(nothingMore, true),
    ),
    member([cidrType, ipType], bool, ([network, ip]) => containsIp(network, ip!), containment(nothingMore, false)),
  ),
  declare(
    "containsCIDR",
    "1.30",
    member(
      [cidrType, string],
      bool,
      ([network, text]) => containsCidr(network, cidrOf(text as string)),
      containment(masking, true),
    ),
    member(
      [cidrType, cidrType],
      bool,
      ([network, other]) => containsCidr(network, other!),
      containment(masking, false),
    ),
  ),
  declare(
    "masked",
    "1.30",
    member([cidrType], cidrType, ([network]) => (network as Cidr).masked(), nominal),
  ),
  declare(
    "prefixLength",
    "1.30",
    member([cidrType], int, ([network]) => BigInt((network as Cidr).length), nominal),
  ),
  declare(
    "string",
    "1.30",
    overload([ipType], string, ([ip]) => formatIp((ip as Ip).address)),
    overload([cidrType], string, ([network]) => `${formatIp((network as Cidr).address)}/${(network as Cidr).length}`),
  ),
];
