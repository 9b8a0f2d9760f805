/** The calls of pods: logs, processes, ports. */

import {
  anything,
  checkOptions,
  count,
  filled,
  flag,
  listOf,
  type OptionRule,
  type OptionShape,
} from "../../base/check-options.ts";
import type { Ref, ResourceAddress } from "../../client/contract.ts";
import { objectPath } from "../../client/requests/address.ts";
import type { Sender } from "../../client/requests/send.ts";
import type { Upgrade } from "../../client/streams/contract.ts";
import { calling } from "../call-options.ts";
import type { AttachOptions, CopyOptions, ExecOptions, ForwardOptions, PodCalls, PodPath } from "./contract.ts";
import { copyFromContainer, copyToContainer } from "./copy.ts";
import { forwardPort } from "./forward.ts";
import { openLogs } from "./logs.ts";
import { openProcess } from "./process.ts";

export interface PodParts<Target> {
  readonly address: ResourceAddress;
  readonly send: Sender;
  readonly upgrade: Upgrade;
  /** The server's own name of the protocol of streams. */
  readonly protocol: string;
  refOf(target: Target): Ref;
}

const attaching: OptionShape<AttachOptions> = { ...calling, container: filled, stdin: anything, tty: flag };
const forwarding: OptionShape<ForwardOptions> = { ...calling, localPort: count(0), host: filled };
const copying: OptionShape<CopyOptions> = { ...calling, container: filled };
const places: OptionShape<PodPath<unknown>> = { pod: anything, path: filled };
const words: OptionRule = listOf(filled);

export function createPodCalls<Target>(parts: PodParts<Target>): PodCalls<Target> {
  const { address, send, upgrade, protocol, refOf } = parts;
  const pathOf = (target: Target, name: string) => objectPath(address, refOf(target), name);
  const open = (path: string, command: readonly string[], { container, stdin, tty = false, signal }: AttachOptions) => {
    const query: (readonly [string, string])[] = [
      ...command.map((word) => ["command", word] as const),
      ...(container === undefined ? [] : [["container", container] as const]),
      ...(stdin === undefined ? [] : [["stdin", "true"] as const]),
      ["stdout", "true"],
      // A terminal has one output, so the second stream is not requested.
      tty ? ["tty", "true"] : ["stderr", "true"],
    ];
    const asked = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    return openProcess(upgrade, { path: `${path}?${asked}`, protocol, stdin, tty, signal });
  };
  const exec = (target: Target, command: readonly string[], options: ExecOptions) =>
    open(pathOf(target, "exec"), command, options);
  return {
    logs: (target, options) => openLogs(send, () => pathOf(target, "log"), options),
    async exec(target, command, options = {}) {
      checkOptions("exec", options, attaching);
      const wrong = words(command) ?? (command.length === 0 ? " must not be empty" : undefined);
      if (wrong !== undefined) throw new TypeError(`exec: the command${wrong}`);
      return exec(target, command, options);
    },
    async attach(target, options = {}) {
      checkOptions("attach", options, attaching);
      return open(pathOf(target, "attach"), [], options);
    },
    async portForward(target, port, options = {}) {
      checkOptions("portForward", options, forwarding);
      const wrong = count(1)(port);
      if (wrong !== undefined) throw new TypeError(`portForward: the port${wrong}`);
      return forwardPort(upgrade, { ...options, path: pathOf(target, "portforward"), remotePort: port, protocol });
    },
    async cp(source: string | PodPath<Target>, destination: string | PodPath<Target>, options: CopyOptions = {}) {
      checkOptions("cp", options, copying);
      const runIn =
        ({ pod }: PodPath<Target>) =>
        (command: readonly string[], stdin?: AsyncIterable<Uint8Array>) =>
          exec(pod, command, { ...options, ...(stdin === undefined ? {} : { stdin }) });
      if (isPath(source) && !isPath(destination))
        return copyToContainer(runIn(checkedPlace(destination)), source, destination.path);
      if (!isPath(source) && isPath(destination))
        return copyFromContainer(runIn(checkedPlace(source)), source.path, destination);
      throw new TypeError("cp: one of source and destination must be a path of this machine, the other { pod, path }");
    },
  };
}

/** Of this machine. */
const isPath = (place: unknown): place is string => typeof place === "string" && place !== "";

function checkedPlace<Target>(place: PodPath<Target>): PodPath<Target> {
  checkOptions("cp", place, places);
  return place;
}
