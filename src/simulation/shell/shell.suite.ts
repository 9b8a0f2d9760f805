/** Runs a command in a container that exists only in a test, on a clock that the test moves. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { ContainerProcess } from "../containers/container-process.ts";
import { PodFiles } from "../containers/pod-files.ts";
import { Machine } from "./machine.ts";
import { programs } from "./programs/list.ts";

interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly container?: object;
  readonly spec?: object;
  readonly files?: Readonly<Record<string, string>>;
}

export function startCommand(
  words: readonly string[],
  { environment = {}, container = {}, spec = {}, files = {} }: StartOptions = {},
) {
  const machine = new Machine(0);
  const podFiles = new PodFiles(() => machine.nowMs);
  const one = { name: "c", ...container };
  const pod = { metadata: { name: "p", namespace: "ns", uid: "u" }, spec: { containers: [one], ...spec } } as Pod; // without defaults
  const seen = podFiles.of(one, pod);
  for (const [path, text] of Object.entries(files)) seen.put(path, Buffer.from(text), { mode: 0o644, changedMs: 0 });
  const process = new ContainerProcess(
    {
      machine,
      pod,
      container: one,
      words,
      environment: new Map([["HOME", "/root"], ...Object.entries(environment)]),
      files: seen,
      hostname: "p",
      logs: undefined,
      program: (name) => programs.get(name),
      changed: () => {},
    },
    { number: 0, startedMs: 0 },
  );
  return {
    machine,
    process,
    files: seen,
    /** The exit code after so much time since the start; undefined: it still runs. */
    codeAt(ms: number): number | undefined {
      for (let turn = 0; turn < 10_000 && !machine.advance(ms, { left: 1_000 }); turn++);
      return process.end?.exitCode;
    },
    lines: (): string[] =>
      Array.from(
        { length: process.log.count - process.log.first },
        (_, at) => process.log.line(process.log.first + at)?.text ?? "",
      ),
  };
}

/** What a script prints, and its exit code, within two minutes. */
export function outcomeOf(script: string, options: StartOptions = {}): string {
  const started = startCommand(["sh", "-c", script], options);
  const code = started.codeAt(120_000);
  return [...started.lines(), `exit ${code}`].join("\n");
}
