/**
 * A partner is a small Go program of ours over the reference's own library. It reads one question a line and writes one answer a
 * line, both JSON, in the same order. A comparison asks it and our code the same, by the thousand.
 */

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../.cache/partners", import.meta.url));
const go = join(cache, "root/usr/lib/go-1.26/bin/go");
export const kustomize = join(cache, "root/usr/bin/kustomize");

/** What the expression language tests itself with. */
export const conformanceTests = join(cache, "root/usr/share/gocode/src/cel.dev/expr/tests/simple/testdata");

/** For the name of a suite that cannot run. */
export const whyNoPartners = existsSync(join(cache, "complete"))
  ? undefined
  : "the reference's libraries are missing: node scripts/provide-partners.mjs";

export type Partner = AsyncDisposable & {
  /** The answers, in the order of the questions. */
  ask<Answer>(questions: readonly unknown[]): Promise<Answer[]>;
};

/** Builds `programs/NAME/main.go` when it changed (the first build of all takes minutes) and starts it. */
export function openPartner(name: string, env: Record<string, string> = {}): Partner {
  const program = spawn(build(name), { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  let complaint = "";
  program.stderr.on("data", (data) => {
    complaint = `${complaint}${data}`.slice(-4_000);
  });
  // A program that ends early is noticed by the answer that is missing.
  program.stdin.on("error", () => undefined);
  return {
    async ask<Answer>(questions: readonly unknown[]) {
      const answers: Answer[] = [];
      program.stdin.write(questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
      for (const question of questions) {
        const line = await lines.next();
        if (line.done === true) throw new Error(`${name} ended at ${JSON.stringify(question)}: ${complaint}`);
        answers.push(JSON.parse(line.value) as Answer);
      }
      return answers;
    },
    async [Symbol.asyncDispose]() {
      program.kill();
    },
  };
}

const goEnvironment = {
  PATH: process.env["PATH"],
  HOME: cache,
  GO111MODULE: "off",
  GOTOOLCHAIN: "local",
  CGO_ENABLED: "0",
  GOCACHE: join(cache, "build"),
  GOPATH: join(cache, "root/usr/share/gocode"),
};

function build(name: string): string {
  const source = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const main = join(source, "main.go");
  const hash = createHash("sha256").update(readFileSync(main)).digest("hex").slice(0, 16);
  const target = join(cache, `bin/${name}-${hash}`);
  if (existsSync(target)) return target;
  mkdirSync(join(cache, "bin"), { recursive: true });
  const half = `${target}.${process.pid}`;
  const result = spawnSync(go, ["build", "-o", half, main], { env: goEnvironment, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`${name} does not build: ${result.stderr}`);
  renameSync(half, target);
  return target;
}

interface Recording {
  /** The package of the reference whose tests are run. */
  readonly of: string;
  /** The tests, as a pattern. */
  readonly tests: string;
  /** Our file in that package. */
  readonly recorder: string;
  /** A file of the package, and the words in it that are others then, so that it calls the recorder. */
  readonly file: string;
  readonly replaced: readonly (readonly [from: string, to: string])[];
}

/** What the reference's own tests ask and are told: one line for each question. They run once, with our file in their package. */
export function recordedLines({ of, tests, recorder, file, replaced }: Recording): string[] {
  const folder = join(goEnvironment.GOPATH, "src", of);
  const ours = fileURLToPath(new URL(`programs/${recorder}`, import.meta.url));
  let changed = readFileSync(join(folder, file), "utf8");
  for (const [from, to] of replaced) {
    if (!changed.includes(from)) throw new Error(`${file} of ${of} no longer has ${from}`);
    changed = changed.replace(from, to);
  }
  const hash = createHash("sha256").update(readFileSync(ours)).update(changed).update(tests).digest("hex").slice(0, 16);
  const made = join(cache, `recorded/${hash}`);
  const lines = join(made, "lines");
  if (!existsSync(lines)) {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, file), changed);
    const Replace = { [join(folder, file)]: join(made, file), [join(folder, "zz_recorder.go")]: ours };
    writeFileSync(join(made, "overlay.json"), JSON.stringify({ Replace }));
    const half = `${lines}.${process.pid}`;
    const words = ["test", "-overlay", join(made, "overlay.json"), of, "-run", tests];
    const result = spawnSync(go, words, { env: { ...goEnvironment, RECORD: half }, encoding: "utf8" });
    if (result.status !== 0) throw new Error(`the tests of ${of} fail: ${result.stdout}${result.stderr}`);
    renameSync(half, lines);
  }
  return readFileSync(lines, "utf8").split("\n").filter(Boolean);
}
