/** The package of the client alone, as its users have it: installed by npm in another folder, compiled and run beside the server's package. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./programs.ts";

const slow = { timeout: 300_000 };
const commandMs = 240_000;
/** More than it has: a package of this size is noticed by nobody. */
const bytesMax = 2_500_000;

const program = `import { ConfigMap, connect, controller, isNotFound, runControllers } from "orch-client";
import type { Pod } from "orch-client/types";

const server = process.argv[2] ?? "";
const client = await connect({ kubeconfig: server });
const pod: Pod = { metadata: { name: "web" } };
await client.of(ConfigMap).apply({ metadata: { name: "one" }, data: { pod: pod.metadata?.name ?? "" } }, { manager: "m" });
const copies = controller({ for: ConfigMap, async reconcile({ object }) { if (object.metadata.name === "one") seen(); } });
let seen: () => void = () => {};
const done = new Promise<void>((resolve) => { seen = resolve; });
const running = runControllers({ client, controllers: [copies] });
await done;
await running.close();
console.log(isNotFound(await client.of(ConfigMap).get("none").catch((error: unknown) => error)));
client.close();
`;

// Types are what \`node scripts/build.mjs --types\` adds to what is built.
describe.skipIf(!existsSync("dist/client.d.ts"))("the packed client in an empty folder", () => {
  let folder = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orch-client-only-"));
    const packed = await run(process.execPath, ["scripts/client-package.mjs", folder], { timeoutMs: commandMs });
    expect(packed).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const install = [`--prefix=${folder}`, "install", "--offline", "--no-audit", "--no-fund", packed.stdout.trim()];
    expect(await run("npm", install, { timeoutMs: commandMs })).toMatchObject({ code: 0 });
    for (const name of ["@types", "undici-types"])
      symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
    writeFileSync(join(folder, "program.ts"), program);
  }, commandMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is one package, and small", () => {
    const installed = join(folder, "node_modules/orch-client");
    expect(readdirSync(join(folder, "node_modules")).filter((name) => /^orch|lmdb|pg|grpc/.test(name))).toEqual([
      "orch-client",
    ]);
    const sizes = (
      readdirSync(installed, { recursive: true, withFileTypes: true }) as {
        isFile(): boolean;
        name: string;
        parentPath: string;
      }[]
    )
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).length);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(bytesMax);
  });

  test("a program compiles with it, and reconciles on a server", slow, async () => {
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      strict: true,
      skipLibCheck: false,
      types: ["node"],
    };
    const options = { ...compilerOptions, exactOptionalPropertyTypes: true, lib: ["es2023", "esnext.disposable"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
    const tsc = [resolve("node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"];
    expect(await run(process.execPath, tsc, { timeoutMs: commandMs })).toMatchObject({ code: 0, stdout: "" });
    const { createServer } = await import("../../src/main/library.ts");
    await using server = await createServer({ controllers: false });
    writeFileSync(join(folder, "server.conf"), (await server.clientConfig()).text);
    const args = [join(folder, "program.js"), join(folder, "server.conf")];
    expect(await run(process.execPath, args, { timeoutMs: commandMs })).toMatchObject({ code: 0, stdout: "true\n" });
  });
});
