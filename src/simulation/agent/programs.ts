/** The programs of a simulated container: what its pod declares, a few that clients rely on, and an echo of everything else. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { TarError } from "../../base/tar/header.ts";
import { commandAnswer } from "./answers.ts";
import { type ContainerFiles, NoSpace } from "./container-files.ts";
import type { ContainerStreams } from "./container-streams.ts";

interface Execution {
  readonly pod: Pod;
  readonly container: string;
  readonly words: readonly string[];
  readonly isTerminal: boolean;
  readonly streams: ContainerStreams;
  readonly files: ContainerFiles;
  readonly clock: Clock;
}

/** Returns the exit code. */
type Program = (execution: Execution, args: readonly string[]) => Promise<number>;

/** The end of input at a terminal: Ctrl+D. */
const endOfInput = 4;

export async function runProgram(execution: Execution): Promise<number> {
  const { pod, words, streams } = execution;
  const declared = commandAnswer(pod, words);
  if (declared !== undefined) {
    if (declared.stdout !== "") await streams.stdout(Buffer.from(declared.stdout));
    if (declared.stderr !== "") await streams.stderr(Buffer.from(declared.stderr));
    return declared.exitCode;
  }
  const [name = "", ...args] = words;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return await (program ?? echoAll)(execution, args);
}

/** The container shows what it was asked, and what it is sent. */
const echoAll: Program = async ({ words, streams, isTerminal }) => {
  await streams.stdout(Buffer.from(`${words.join(" ")}${isTerminal ? "\r" : ""}\n`));
  return await copyInput(streams, isTerminal);
};

async function copyInput(streams: ContainerStreams, isTerminal: boolean): Promise<number> {
  for await (const data of streams.stdin) {
    const end = isTerminal ? data.indexOf(endOfInput) : -1;
    await streams.stdout(end < 0 ? data : data.subarray(0, end));
    if (end >= 0) break;
  }
  return 0;
}

const programs: Readonly<Record<string, Program>> = {
  async echo({ streams }, args) {
    await streams.stdout(Buffer.from(`${args.join(" ")}\n`));
    return 0;
  },
  async cat(execution, args) {
    const { streams, isTerminal } = execution;
    if (args.length === 0) return await copyInput(streams, isTerminal);
    let code = 0;
    for (const path of args) {
      const bytes = execution.files.read(keyOf(execution), path);
      if (bytes !== undefined) await streams.stdout(bytes);
      else {
        await streams.stderr(Buffer.from(`cat: ${path}: No such file or directory\n`));
        code = 1;
      }
    }
    return code;
  },
  true: async () => 0,
  false: async () => 1,
  async hostname({ pod, streams }) {
    await streams.stdout(Buffer.from(`${pod.spec?.hostname || pod.metadata.name || ""}\n`));
    return 0;
  },
  async sleep({ clock, streams }, args) {
    const intervals = args.map(intervalMs);
    const wrong = args.find((_, at) => intervals[at] === undefined);
    if (args.length === 0 || wrong !== undefined) {
      const message = wrong === undefined ? "missing operand" : `invalid time interval '${wrong}'`;
      await streams.stderr(Buffer.from(`sleep: ${message}\n`));
      return 1;
    }
    const ms = intervals.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    await sleep(clock, Math.min(ms, sleepMsMax), streams.gone).catch(() => {});
    return 0;
  },
  async test(execution, [kind, path = ""]) {
    const key = keyOf(execution);
    if (kind === "-d") return execution.files.isFolder(key, path) ? 0 : 1;
    return execution.files.read(key, path) === undefined ? 1 : 0;
  },
  tar,
};

/** A year: nothing that was sent to sleep for longer, or for ever, is waited for. */
export const sleepMsMax = 365 * 24 * 3_600_000;
const unitMs: Readonly<Record<string, number>> = { "": 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** Of "5", "1.5m" or "infinity"; undefined: it cannot be read. */
function intervalMs(text: string): number | undefined {
  if (text === "infinity" || text === "inf") return sleepMsMax;
  const [, count, unit = ""] = /^(\d{1,15}(?:\.\d{1,9})?)([smhd]?)$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}

/** As `cp` calls it: `tar cf - PATH` and `tar -xmf - -C FOLDER`. */
async function tar(execution: Execution, args: readonly string[]): Promise<number> {
  const { streams, files } = execution;
  const operation = args.find((word) => /^-?[xc]m?f$/.test(word)) ?? "";
  const folderAt = args.indexOf("-C");
  const folder = folderAt < 0 ? "/" : (args[folderAt + 1] ?? "/");
  const fail = async (message: string) => {
    await streams.stderr(Buffer.from(`tar: ${message}\n`));
    return 2;
  };
  try {
    if (operation.includes("x")) {
      await files.extract(keyOf(execution), folder, streams.stdin);
      return 0;
    }
    const path = args.at(-1) ?? "/";
    const archive = operation.includes("c") ? files.archive(keyOf(execution), path) : undefined;
    if (archive === undefined) return await fail(`${path}: Cannot stat: No such file or directory`);
    for await (const chunk of archive) await streams.stdout(chunk);
    return 0;
  } catch (error) {
    if (error instanceof TarError || error instanceof NoSpace) return await fail(error.message);
    throw error;
  }
}

const keyOf = ({ pod, container }: Execution): string => `${pod.metadata.uid ?? ""}/${container}`;

/** The last message about a process, as real agents send it. */
export function endingStatus(exitCode: number): string {
  const base = { metadata: {}, apiVersion: "v1", kind: "Status" };
  if (exitCode === 0) return JSON.stringify({ ...base, status: "Success" });
  return JSON.stringify({
    ...base,
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });
}
