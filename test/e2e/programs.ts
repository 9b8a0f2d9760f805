/** Programs that some suites need beyond Node, and what happens where they are missing. */

import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { describe, test } from "vitest";

export interface Program {
  readonly name: string;
  isThere(): boolean;
  /** How a person gets it. */
  readonly howTo: string;
}

/** Debian's, unpacked by scripts/provide.mjs: a machine may have another one, of another version. */
export const kubectlPath = resolve(".cache/kubernetes-client/usr/bin/kubectl");
export const kubectl: Program = {
  name: "kubectl",
  isThere: () => existsSync(kubectlPath),
  howTo: "run `node scripts/provide.mjs` as root on Debian",
};

/** The system's, because that is the one Debian's packages belong to. */
export const pythonPath = "/usr/bin/python3";
export const pythonClient: Program = {
  name: "the Python client",
  isThere: () => runs(pythonPath, ["-c", "import kubernetes"]),
  howTo: "install python3-kubernetes, or run `node scripts/provide.mjs` as root on Debian",
};

export const go: Program = {
  name: "Go",
  isThere: () => runs("go", ["version"]),
  howTo: "install golang-go, or run `node scripts/provide.mjs` as root on Debian",
};

export const java: Program = {
  name: "Java",
  isThere: () => runs("javac", ["-version"]),
  howTo: "install default-jdk-headless, or run `node scripts/provide.mjs` as root on Debian",
};

export const openssl: Program = {
  name: "openssl",
  isThere: () => runs("openssl", ["version"]),
  howTo: "install openssl, or run `node scripts/provide.mjs` as root on Debian",
};

export const jq: Program = {
  name: "jq",
  isThere: () => runs("jq", ["--version"]),
  howTo: "install jq, or run `node scripts/provide.mjs` as root on Debian",
};

export const prometheus: Program = {
  name: "prometheus",
  isThere: () => runs("prometheus", ["--version"]) && runs("promtool", ["--version"]),
  howTo: "install prometheus, or run `node scripts/provide.mjs` as root on Debian",
};

/** Skips the suite with a plain sentence where the program is missing; under CI=true that is a failure instead. */
export function describeWith(program: Program, title: string, suite: () => void): void {
  if (program.isThere()) {
    describe(title, suite);
    return;
  }
  const sentence = `${title}: skipped, because ${program.name} is missing; ${program.howTo}`;
  if (process.env["CI"] === "true") {
    test(title, () => {
      throw new Error(sentence);
    });
    return;
  }
  test.skip(sentence, () => {});
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(
  command: string,
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly input?: string; readonly timeoutMs?: number } = {},
): Promise<Outcome> {
  return new Promise((done) => {
    const child = execFile(
      command,
      [...args],
      {
        env: { ...process.env, ...goOptions(command), ...options.env },
        timeout: options.timeoutMs ?? 150_000,
        maxBuffer: 1 << 26,
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        done({ code, stdout, stderr });
      },
    );
    child.stdin?.on("error", () => {}); // a program may end before it has read what it was given
    child.stdin?.end(options.input ?? "");
  });
}

/** kubectl ends long before its memory matters, and collecting it is a good part of its work. */
const goOptions = (command: string): Record<string, string> => (command === kubectlPath ? { GOGC: "off" } : {});

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, [...args], { stdio: "ignore", timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}

/** A port that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
