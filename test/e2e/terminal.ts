/** A program on a pseudo-terminal: what it prints there, what a person types, and what is on the screen in the end. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Program, pythonPath } from "./programs.ts";

export const terminal: Program = {
  name: "a pseudo-terminal",
  isThere: () => process.platform !== "win32" && existsSync(pythonPath),
  howTo: "install python3, whose module pty opens one",
};

/** Node cannot open a pseudo-terminal. One line of JSON for each text that was seen, and for the end. */
const driver = `
import json, os, pty, select, signal, sys, fcntl, struct, termios, time
task = json.loads(sys.argv[1])
pid, master = pty.fork()
if pid == 0:
    os.execvpe(task["command"][0], task["command"], {**os.environ, **task["env"]})
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", task["rows"], task["columns"], 0, 0))
text, start, steps = "", 0, list(task["steps"])
raw = b""
end = time.monotonic() + 50
while time.monotonic() < end:
    ready, _, _ = select.select([master], [], [], 1)
    if ready:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        raw += chunk
    text = raw.decode("utf8", "replace")
    while steps and steps[0]["until"] in text[start:]:
        step = steps.pop(0)
        start = text.index(step["until"], start) + len(step["until"])
        print(json.dumps({"seen": step["until"]}), flush=True)
        sys.stdin.readline()
        if step["send"]:
            os.write(master, step["send"].encode())
else:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
print(json.dumps({"code": code, "text": text, "unseen": [step["until"] for step in steps]}), flush=True)
`;

export interface Step {
  /** What must be printed, after what the steps before have waited for. */
  readonly until: string;
  /** What happens elsewhere then. */
  readonly act?: () => Promise<unknown>;
  /** What is typed then. */
  readonly send?: string;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  readonly steps?: readonly Step[];
}

export interface TerminalOutcome {
  readonly code: number;
  /** Everything that was printed, with its escapes. */
  readonly text: string;
  /** The lines of the screen in the end. */
  readonly screen: readonly string[];
  /** Texts of steps that never came. */
  readonly unseen: readonly string[];
}

export async function runOnTerminal(
  command: readonly string[],
  options: TerminalOptions = {},
): Promise<TerminalOutcome> {
  const { env = {}, columns = 100, rows = 30, steps = [] } = options;
  const task = {
    command,
    env: { TERM: "xterm", NO_COLOR: "", CI: "", ...env },
    columns,
    rows,
    steps: steps.map(({ until, send = "" }) => ({ until, send })),
  };
  const child = spawn(pythonPath, ["-c", driver, JSON.stringify(task)], { stdio: ["pipe", "pipe", "inherit"] });
  let at = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as { seen: string } | Omit<TerminalOutcome, "screen">;
    if ("code" in report) return { ...report, screen: screenOf(report.text) };
    await steps[at++]?.act?.();
    child.stdin.write("\n");
  }
  throw new Error(`${command.join(" ")} ended without a report`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is driven by them
const parts = /\u001b\[(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/g;

/** A terminal that knows what `ctl` uses: cursor up, clear to the end, clear the line, colours. */
function screenOf(text: string): string[] {
  const lines = [""];
  let [row, column] = [0, 0];
  for (const [part, count = "", letter = ""] of text.matchAll(parts)) {
    if (part === "\n") {
      row++;
      if (row === lines.length) lines.push("");
    } else if (part === "\r") column = 0;
    else if (letter === "A") row = Math.max(0, row - Number(count || "1"));
    else if (letter === "J") lines.splice(row, lines.length, (lines[row] ?? "").slice(0, column));
    else if (letter === "K") lines[row] = "";
    else if (letter === "") {
      const line = (lines[row] ?? "").padEnd(column);
      lines[row] = line.slice(0, column) + part + line.slice(column + part.length);
      column += part.length;
    }
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}
