/** What the guides show compiles as a user would compile it, under the strictest options. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const pages = ["README.md", "docs/admission.md", "docs/building.md", "docs/testing.md"];

/** What a snippet uses and an earlier one, or the reader, has made. A snippet that declares the name itself does not need it. */
const context: Readonly<Record<string, string>> = {
  authority: "declare const authority: string;",
  body: "declare const body: string;",
  certFile: "declare const certFile: string;",
  ConfigMap: 'import { ConfigMap } from "orch/client";',
  client: 'declare const client: import("orch/client").Client;',
  createServer: 'import { createServer } from "orch";',
  expect: 'import { expect } from "vitest";',
  headers: "declare const headers: Record<string, string>;",
  keyFile: "declare const keyFile: string;",
  kinds: 'import { kinds } from "orch";',
  maps: 'declare const maps: import("orch/client").Resource<import("orch/client").ConfigMap>;',
  other: 'declare const other: import("orch").OrchServer;',
  Pod: 'import { Pod } from "orch/client";',
  retryOnConflict: 'import { retryOnConflict } from "orch/client";',
  server: 'declare const server: import("orch").OrchServer;',
  signal: "declare const signal: AbortSignal;",
  test: 'import { test } from "vitest";',
  warm: 'declare const warm: import("orch").OrchServer;',
  Widget:
    'declare const Widget: import("orch/client").DefinedResource<Widget>;\ntype Widget = import("orch/client").AnyObject & { spec: { size: number } };',
};

/** Of an object literal in the middle of a declaration only the members are shown. */
const isWhole = (code: string) => !/^(rules|keywords):/.test(code);

function programOf(code: string): string {
  const isUsed = (name: string) => new RegExp(`(?<![\\w."'/-])${name}\\b(?!:)`).test(code);
  const isOwn = (name: string) =>
    new RegExp(
      `(?:const|let|using|function|class|type) ${name}\\b|import [^;]*\\b${name}\\b[^;]* from|const \\{[^}]*\\b${name}\\b`,
    ).test(code);
  const needed = Object.entries(context).filter(([name]) => isUsed(name) && !isOwn(name));
  return [...needed.map(([, text]) => text), code, "export {};", ""].join("\n");
}

test("the snippets of the guides compile under the strictest options", { timeout: 300_000 }, () => {
  const folder = ".cache/snippets-test";
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const page of pages)
    for (const [, code = ""] of readFileSync(page, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      if (!isWhole(code)) continue;
      const name = `${page.replace(/\W/g, "-")}-${files.length}.ts`;
      writeFileSync(join(folder, name), programOf(code));
      files.push(name);
    }
  expect(files.length).toBeGreaterThan(20);
  const paths = {
    orch: ["../../src/main/library.ts"],
    "orch/client": ["../../src/kit/orch-client.ts"],
    "orch/testing": ["../../src/main/testing.ts"],
  };
  const config = { extends: "../../tsconfig.json", compilerOptions: { paths }, include: [], files };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = ["node_modules/typescript/bin/tsc", "-p", folder, "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: "utf8" });
  expect(stdout.split("\n").slice(0, 30).join("\n")).toBe("");
  rmSync(folder, { recursive: true, force: true });
});
