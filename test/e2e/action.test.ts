/** action.yml as a runner reads it, with its last step run as it is written. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import { afterAll, expect, test } from "vitest";
import { likesOf } from "../../src/main/flags/like.ts";
import { run } from "./programs.ts";

interface Action {
  readonly inputs: { readonly like: { readonly default: string } };
  readonly runs: { readonly steps: readonly { readonly id?: string; readonly run?: string }[] };
}

const folder = mkdtempSync(join(tmpdir(), "orch-action-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const action = load(readFileSync("action.yml", "utf8")) as Action; // our own file

test("the action sets the assets of a level, and puts the commands on the path", async () => {
  const [like = ""] = likesOf("kubernetes");
  expect(action.inputs.like.default).toBe(like);
  const step = action.runs.steps.find(({ id }) => id === "assets")?.run ?? "";
  const files = Object.fromEntries(["OUTPUT", "ENV", "PATH"].map((name) => [`GITHUB_${name}`, join(folder, name)]));
  const env = { PATH: process.env["PATH"] ?? "", LIKE: "kubernetes-1.21", ACTION: resolve("."), ...files };
  const { code, stderr } = await run("bash", ["-e", "-c", step], { env, timeoutMs: 60_000 });
  expect(code, stderr).toBe(0);
  const assets = resolve("bin/envtest/kubernetes-1.21");
  expect(readFileSync(join(folder, "ENV"), "utf8")).toBe(`KUBEBUILDER_ASSETS=${assets}\n`);
  expect(readFileSync(join(folder, "OUTPUT"), "utf8")).toBe(`assets=${assets}\n`);
  expect(readFileSync(join(folder, "PATH"), "utf8")).toBe(`${resolve("bin")}\n`);
});
