/** Runs the program of a credential plugin and returns what it prints, within limits: such a program may hang, flood, or leave children. */

import type { ChildProcess } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import { type ConfigError, CredentialsError } from "./file.ts";

/** Plugins print a small object; longer output is an error. */
export const pluginOutputBytesMax = 1024 * 1024;
/** How long a plugin may run. It may ask its user to log in with a browser, so this is long. */
export const pluginRunMsMax = 600_000;
/** How long output may still come when a plugin has ended: a child that it left may hold the pipe for ever. */
export const pluginPipeMsMax = 1_000;

interface PluginProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly installHint: string;
  /** Whether it gets the standard input of this process. */
  readonly isInteractive: boolean;
}

/** The program is killed when the signal aborts, which rejects with its reason. */
export async function runProgram(program: PluginProgram, clock: Clock, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { spawn } = await import("node:child_process"); // few configurations have a plugin, and loading takes milliseconds
  const { command, args, env, isInteractive } = program;
  let child: ChildProcess;
  try {
    child = spawn(command, [...args], { env, stdio: [isInteractive ? "inherit" : "ignore", "pipe", "inherit"] });
  } catch (error) {
    throw notStarted(program, error);
  }
  const { stdout } = child;
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise<string>((resolve, reject) => {
    const stops: (() => void)[] = [];
    const settle = () => {
      for (const stop of stops) stop();
      stdout?.destroy();
    };
    // It may ignore a polite signal, and nobody waits for what it would do then.
    const fail = (error: unknown) => {
      settle();
      child.kill("SIGKILL");
      reject(error);
    };
    const gone = () => fail(signal.reason);
    // A command that ends at its first error must not leave it behind.
    const kill = () => void child.kill("SIGKILL");
    process.once("exit", kill);
    signal.addEventListener("abort", gone, { once: true });
    stops.push(
      () => signal.removeEventListener("abort", gone),
      () => process.off("exit", kill),
      clock.after(pluginRunMsMax, () =>
        fail(failed(`exec: executable ${command} did not end within ${pluginRunMsMax / 1_000} seconds`)),
      ),
    );
    stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > pluginOutputBytesMax) fail(failed(`the plugin printed more than ${pluginOutputBytesMax} bytes`));
      else chunks.push(chunk);
    });
    child.on("error", (error) => fail(notStarted(program, error)));
    const ended = (code: number | null, by: NodeJS.Signals | null) => {
      settle();
      if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(failed(`exec: executable ${command} failed with exit code ${code ?? `-1 (${by})`}`));
    };
    child.on("close", ended);
    child.on("exit", (code, by) => stops.push(clock.after(pluginPipeMsMax, () => ended(code, by))));
  });
}

const failed = (reason: string) => new CredentialsError(`${reason}`);

/** Without the cause, which has the arguments of the program. */
function notStarted({ command, installHint }: PluginProgram, error: unknown): ConfigError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code !== "ENOENT")
    return new CredentialsError(
      `exec: executable ${command} could not be started${reasons[code] ?? (code && `: ${code}`)}`,
    );
  const hint = installHint === "" ? "" : `\n\n${installHint}`;
  return new CredentialsError(
    `exec: executable ${command} not found\n\n` +
      `The client configuration names this credential plugin, which is not installed or not on the PATH.${hint}`,
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: ": permission denied",
  E2BIG: ": its arguments and environment are too long",
  EAGAIN: ": there are too many processes",
};
