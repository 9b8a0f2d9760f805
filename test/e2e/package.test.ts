/** The package as its users have it: packed, installed in another folder, compiled under the strictest options, and run. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withoutComments } from "../../scripts/package-types/package-types.mjs";
import { run } from "./programs.ts";

/** Where .ci/run puts the package; by hand: `node scripts/build.mjs --types && npm pack --ignore-scripts --pack-destination=.cache/package`. */
const packed = resolve(".cache/package");
const archive = (() => {
  try {
    return readdirSync(packed).find((name) => name.endsWith(".tgz"));
  } catch {
    return undefined;
  }
})();
const slow = { timeout: 300_000 };
const commandMs = 240_000;

const strictest = {
  target: "es2023",
  lib: ["es2023", "esnext.disposable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  declaration: true,
  outDir: "out",
};

describe.skipIf(archive === undefined)("the packed package in an empty folder", () => {
  let folder = "";
  const tsc = (name: string) =>
    run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", join(folder, name), "--pretty", "false"], {
      timeoutMs: commandMs,
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orch-consumer-"));
    const modules = join(folder, "node_modules");
    mkdirSync(modules, { recursive: true });
    await run("tar", ["-xzf", join(packed, archive ?? ""), "-C", modules], { timeoutMs: commandMs });
    await run("mv", [join(modules, "package"), join(modules, "orch")]);
    // Its dependencies are installed beside it.
    for (const name of ["@types", "@noble", "js-yaml", "lmdb", "re2js", "undici-types"])
      symlinkSync(resolve("node_modules", name), join(modules, name));
    for (const name of ["operator.ts", "session.ts", "declared.ts", "rules.ts", "isolated.ts"])
      symlinkSync(resolve("test/e2e/consumer", name), join(folder, name));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(
      join(folder, "older.cts"),
      'import client = require("orch/client");\nimport orch = require("orch");\nexport = [client.connect, orch.createServer];\n',
    );
  }, commandMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const [module, moduleResolution] of [
    ["node16", "node16"],
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ] as const)
    test(`an operator compiles with moduleResolution ${moduleResolution}`, slow, async () => {
      const files = [
        "operator.ts",
        "session.ts",
        "declared.ts",
        "rules.ts",
        "isolated.ts",
        ...(module === "esnext" ? [] : ["older.cts"]),
      ];
      const compilerOptions = { ...strictest, module, moduleResolution, preserveSymlinks: true };
      const name = `tsconfig.${moduleResolution}.json`;
      writeFileSync(join(folder, name), JSON.stringify({ compilerOptions, files }));
      expect(await tsc(name)).toMatchObject({ code: 0, stdout: "" });
    });

  for (const [why, compilerOptions] of [
    ["isolatedDeclarations, where each exported type is written down", { isolatedDeclarations: true }],
    ["the usual optional properties", { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false }],
  ] as const)
    test(`programs compile with ${why}`, slow, async () => {
      const how = { ...strictest, ...compilerOptions, module: "nodenext", preserveSymlinks: true, outDir: "out-other" };
      const files =
        "isolatedDeclarations" in compilerOptions ? ["isolated.ts"] : ["operator.ts", "declared.ts", "rules.ts"];
      writeFileSync(join(folder, "tsconfig.other.json"), JSON.stringify({ compilerOptions: how, files }));
      expect(await tsc("tsconfig.other.json")).toMatchObject({ code: 0, stdout: "" });
    });

  test("kinds of a program are plain objects, as editors show them", () => {
    const text = readFileSync(join(folder, "out/declared.d.ts"), "utf8");
    expect(text).toMatch(/Widget: .*DefinedResource<\{\n {4}apiVersion\?: string;/);
    expect(text).toMatch(/\n {4}spec: \{\n {8}color\?: [^;]*;\n {8}size: number;\n {4}\};/);
    expect(text).not.toMatch(/StaticObject|StaticFields|ReadFields|WrittenFields/);
  });

  test("a program without the types of Node compiles, and checks the types of the package", slow, async () => {
    const compilerOptions = { ...strictest, types: [], typeRoots: [], lib: ["es2023", "dom", "esnext.disposable"] };
    const how = { module: "esnext", moduleResolution: "bundler", preserveSymlinks: true, outDir: "out-page" };
    const text = JSON.stringify({ compilerOptions: { ...compilerOptions, ...how }, files: ["declared.ts"] });
    writeFileSync(join(folder, "tsconfig.page.json"), text);
    expect(await tsc("tsconfig.page.json")).toMatchObject({ code: 0, stdout: "" });
  });

  test("each exported type is what its golden file says (npm run golden writes them)", () => {
    const golden = readdirSync("test/golden/types").sort();
    const declared = join(folder, "node_modules/orch/dist");
    const written = readdirSync(declared).filter((name) => name.endsWith(".d.ts") && name !== "object-types.d.ts");
    expect(written.sort()).toEqual(golden);
    for (const name of golden)
      expect(withoutComments(readFileSync(join(declared, name), "utf8")), name).toBe(
        readFileSync(join("test/golden/types", name), "utf8"),
      );
  });

  for (const where of ["first", "now"])
    test(`what nodenext has compiled runs against a server in its process: ${where}`, slow, async () => {
      const { code, stdout, stderr } = await run(process.execPath, [join(folder, "out/session.js"), where], {
        timeoutMs: commandMs,
      });
      expect({ code, stderr, stdout }).toEqual({
        code: 0,
        stderr: "",
        stdout: "refused true\nlru 2 of 2\ncleaned one all servers are ready\n",
      });
    });

  test("a tracer without the package of OpenTelemetry is an error that says what to install", slow, async () => {
    const program = `import { createServer } from "orch"; import { connect } from "orch/client";
      const tracing = { startSpan: () => ({}) };
      const said = (work) => work.then(() => "opened", (error) => error.message);
      const server = await createServer({ controllers: false });
      console.log(await said(createServer({ tracing })));
      console.log(await said(connect({ server, tracing })));`;
    writeFileSync(join(folder, "untraced.mjs"), program);
    const { stdout } = await run(process.execPath, [join(folder, "untraced.mjs")], { timeoutMs: commandMs });
    const wanted = '"tracing" needs the package @opentelemetry/api: npm install @opentelemetry/api\n';
    expect(stdout).toBe(wanted + wanted);
  });

  test("an error that is not caught prints a screen, not the bundle", slow, async () => {
    const program = `import { createServer } from "orch"; import { ConfigMap, connect } from "orch/client";
      const server = await createServer({ controllers: false });
      await (await connect({ server })).of(ConfigMap).get("none");`;
    writeFileSync(join(folder, "uncaught.mjs"), program);
    const { code, stderr } = await run(process.execPath, [join(folder, "uncaught.mjs")], { timeoutMs: commandMs });
    expect([code, stderr.includes('\nStatusError: configmaps "none" not found\n'), stderr.length < 3_000]).toEqual([
      1,
      true,
      true,
    ]);
  });
});
