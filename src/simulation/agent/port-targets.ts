/** The programs on this machine that ports of simulated pods may forward to: those that the operator of the server has listed. */

import { addressScope } from "../../base/address-scope.ts";
import type { Dial } from "../../base/https-call.ts";

/** Further targets are refused. */
export const portTargetsMax = 1_000;

export class PortTargets {
  readonly #allowed: ReadonlySet<string>;

  /** Each is "127.0.0.1:8443". Throws an Error if one is not an address and a port of this machine. */
  constructor(allowed: readonly string[]) {
    if (allowed.length > portTargetsMax) throw new Error(`there must be at most ${portTargetsMax} targets`);
    for (const text of allowed)
      if (readTarget(text) === undefined)
        throw new Error(`"${text}" must be a loopback address and a port, such as 127.0.0.1:8443`);
    this.#allowed = new Set(allowed);
  }

  find(text: string): { readonly dial: Dial } | { readonly refuse: string } {
    const dial = readTarget(text);
    if (dial === undefined) return { refuse: `"${text.slice(0, 100)}" is not a loopback address with a port` };
    if (this.#allowed.has(text)) return { dial };
    return { refuse: `forwarding to ${text} needs --simulated-port-targets=${text}` };
  }
}

/** Undefined: not on this machine. */
function readTarget(text: string): Dial | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const number = Number(port);
  return addressScope(host) === "loopback" && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}
