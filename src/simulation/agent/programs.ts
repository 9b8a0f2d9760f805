/** What clients execute in a simulated container: what its pod declares, its programs, and an echo of everything else. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { SimulatedCommands } from "../containers/simulated-commands.ts";
import { TooManyTasks } from "../shell/host.ts";
import type { MachineTask } from "../shell/machine.ts";
import { type OutputSink, Pipe } from "../shell/streams.ts";
import { commandAnswer } from "./answers.ts";
import type { ContainerStreams } from "./container-streams.ts";
import { shownLines, TerminalLine } from "./terminal.ts";

interface Execution {
  readonly pod: Pod;
  readonly container: string;
  readonly words: readonly string[];
  readonly isTerminal: boolean;
  readonly streams: ContainerStreams;
  readonly commands: Pick<SimulatedCommands, "forClient">;
}

/** Ctrl+D, the end of input at a terminal. */
const endOfInput = 4;
/** The exit code of a command that cannot be started. */
const notStartedCode = 126;
/** Bytes that a client has not read yet; then the command waits. */
export const unreadBytesMax = 256 * 1024;

/** Returns the exit code. */
export async function runProgram(execution: Execution): Promise<number> {
  const { pod, words, streams } = execution;
  const declared = commandAnswer(pod, words);
  if (declared !== undefined) {
    if (declared.stdout !== "") await streams.stdout(Buffer.from(declared.stdout));
    if (declared.stderr !== "") await streams.stderr(Buffer.from(declared.stderr));
    return declared.exitCode;
  }
  return (await runUnderstood(execution)) ?? (await echoAll(execution));
}

/** Undefined: the command is not understood. */
async function runUnderstood({
  pod,
  container,
  words,
  streams,
  isTerminal,
  commands,
}: Execution): Promise<number | undefined> {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? { containers: [] };
  const found = [...containers, ...initContainers, ...ephemeralContainers].find(({ name }) => name === container);
  if (found === undefined) return undefined;
  const processes = await commands.forClient(pod);
  const typed = isTerminal ? typedShell(words) : undefined;
  if (typed === undefined && !processes.understands(found, words)) return undefined;
  const stdin = new Pipe();
  const wake = () => processes.machine.wake();
  const toScreen = isTerminal ? shownLines : (data: Uint8Array) => data;
  const io = {
    stdin,
    stdout: sinkTo((data) => streams.stdout(toScreen(data)), wake),
    stderr: sinkTo((data) => streams.stderr(toScreen(data)), wake),
  };
  let ended = (_: number) => {};
  const code = new Promise<number>((resolve) => {
    ended = resolve;
  });
  let task: MachineTask;
  try {
    task = processes.execute(found, typed ?? words, io, (exitCode) => ended(exitCode));
  } catch (error) {
    if (!(error instanceof TooManyTasks)) throw error;
    await streams.stderr(Buffer.from(`${error.message}\n`));
    return notStartedCode;
  }
  streams.gone.addEventListener("abort", () => task.kill(), { once: true });
  if (streams.gone.aborted) task.kill();
  const from = isTerminal ? typedLines(streams.stdin, io.stdout, task) : streams.stdin;
  void pump({ from, to: stdin, wake }).catch(() => {});
  const exitCode = await code;
  stdin.close();
  await Promise.all([io.stdout.sent(), io.stderr.sent()]);
  return exitCode;
}

/** What a client sends, as fast as the command reads it. */
async function pump(options: { readonly from: AsyncIterable<Buffer>; readonly to: Pipe; wake(): void }): Promise<void> {
  const { from, to, wake } = options;
  for await (const data of from) {
    to.write(data);
    wake();
    if (to.isFull())
      await new Promise<void>((resolve) => {
        to.onRead = resolve;
      });
  }
  to.end();
  wake();
}

/** A shell without a script, at a terminal, is typed to; undefined: it is another command. */
function typedShell([first = "", ...options]: readonly string[]): readonly string[] | undefined {
  const isShell = /^(\/(usr\/)?bin\/)?(sh|bash|ash|dash)$/.test(first);
  return isShell && options.every((one) => /^(-[il]+|--login)$/.test(one)) ? [first, "-i"] : undefined;
}

/** What is typed, line by line, and shown. */
async function* typedLines(from: AsyncIterable<Buffer>, screen: OutputSink, task: MachineTask): AsyncGenerator<Buffer> {
  const terminal = new TerminalLine();
  for await (const data of from) {
    const { shown, lines, isInterrupted, isEnded } = terminal.type(data);
    if (shown !== "") screen.write(Buffer.from(shown));
    if (isInterrupted) task.signal("INT");
    yield Buffer.from(lines);
    if (isEnded) return;
  }
}

/** A command waits for a client that does not read. */
function sinkTo(send: (data: Buffer) => Promise<void>, wake: () => void): OutputSink & { sent(): Promise<void> } {
  let unread = 0;
  let sending = Promise.resolve();
  return {
    write(data) {
      unread += data.length;
      sending = sending
        .then(() => send(data))
        .catch(() => {})
        .then(() => {
          unread -= data.length;
          wake();
        });
    },
    isFull: () => unread > unreadBytesMax,
    sent: () => sending,
  };
}

/** The container shows what it was asked, and what it is sent. */
async function echoAll({ words, streams, isTerminal }: Execution): Promise<number> {
  await streams.stdout(Buffer.from(`${words.join(" ")}${isTerminal ? "\r" : ""}\n`));
  for await (const data of streams.stdin) {
    const end = isTerminal ? data.indexOf(endOfInput) : -1;
    await streams.stdout(end < 0 ? data : data.subarray(0, end));
    if (end >= 0) break;
  }
  return 0;
}

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
