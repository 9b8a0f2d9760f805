/** The machine: the version of Node, its clock, open files and memory. */

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import { memoryBytes } from "../../base/memory-limit.ts";
import { connectionsDefaultMax } from "../../http/transport/listen.ts";
import { describeBytes } from "../backup/progress.ts";
import { partsOf } from "../stores/data-folder.ts";
import { type DoctorCheck, type DoctorContext, type Finding, ok, problem, warning } from "./contract.ts";

/** Fewer open files than this are too few for clients, watches and the store together. */
const openFilesMin = 4_096;
/** A server without objects needs about 150 MB. */
const memoryBytesMin = 536_870_912;
/** No release of this software is older, so an earlier time is wrong. */
const earliestMs = Date.parse("2024-01-01T00:00:00Z");

export const machineCheck: DoctorCheck = {
  name: "machine",
  async run(context) {
    return [checkNode(process.versions.node), await checkClock(context), ...(await checkFiles()), checkMemory()];
  },
};

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok("Node", version);
  return problem("Node", `${version} is too old`, "install Node 20.19 or newer");
}

/** A file from the future shows that the clock is wrong. */
async function checkClock({ flags, clock }: DoctorContext): Promise<Finding> {
  const advice = "set the clock (chrony, systemd-timesyncd); certificates and tokens depend on it";
  const now = clock.now();
  if (now < earliestMs) return problem("clock", `says ${new Date(now).toISOString()}`, advice);
  const data = join(partsOf(flags["data-dir"]).store, "data.mdb");
  const written = existsSync(data) ? (await stat(data)).mtimeMs : 0;
  if (written > now + 60_000) {
    return warning(
      "clock",
      `the store was written at ${new Date(written).toISOString()}, which is later than now`,
      advice,
    );
  }
  return ok("clock", new Date(now).toISOString());
}

async function checkFiles(): Promise<Finding[]> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return [];
  if (soft === "unlimited" || Number(soft) >= connectionsDefaultMax) return [ok("open files", soft)];
  const message = `${soft} at most, and the server accepts ${connectionsDefaultMax} connections`;
  const advice = "raise the limit: LimitNOFILE=65536 of systemd, --ulimit nofile=65536 of docker, or ulimit -n";
  return [Number(soft) < openFilesMin ? warning("open files", message, advice) : ok("open files", message)];
}

function checkMemory(): Finding {
  const available = memoryBytes();
  const heap = getHeapStatistics().heap_size_limit;
  const message = `${describeBytes(available)}, of which Node's heap may take ${describeBytes(heap)}`;
  if (available < memoryBytesMin) {
    return warning(
      "memory",
      message,
      `give it ${describeBytes(memoryBytesMin)} or more: all objects are kept in memory`,
    );
  }
  if (heap > available) {
    const megabytes = Math.floor((available * 0.75) / 2 ** 20);
    return warning(
      "memory",
      message,
      `set NODE_OPTIONS=--max-old-space-size=${megabytes}, or the kernel may kill the server`,
    );
  }
  return ok("memory", message);
}
