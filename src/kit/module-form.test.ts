/** `orch/client` as bundlers see it: a program carries what it uses, and a browser can have it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { markPure, moduleFormOptions } from "../../scripts/module-form.mjs";
import { createServer } from "../main/library.ts";
import * as kit from "./orch-client.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-module-"));
const define = { ORCH_VERSION: '"0"' };
beforeAll(async () => {
  for (const browser of [false, true]) {
    const { outputFiles } = await build({ ...moduleFormOptions(process.cwd(), browser), define, write: false });
    writeFileSync(join(folder, browser ? "browser.mjs" : "node.mjs"), markPure(outputFiles?.[0]?.text ?? ""));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a bundler makes of a program, minified. */
async function bundled(file: string, program: string): Promise<string> {
  const contents = program.replace("orch/client", `./${file}`);
  const platform = file === "browser.mjs" ? "browser" : "node";
  const stdin = { contents, resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", platform, write: false });
  return outputFiles[0]?.text ?? "";
}

/** Bytes: half as much again as when this was written. */
const programs = [
  ['export { isNotFound } from "orch/client"', 2_400],
  ['export { Pod } from "orch/client"', 2_600],
  ['export { field } from "orch/client"', 9_300],
  ['export { defineResource, field } from "orch/client"', 30_000],
] as const;
for (const [program, most] of programs)
  for (const file of ["node.mjs", "browser.mjs"])
    test(`${program} takes less than ${most} bytes of ${file}`, async () => {
      const text = await bundled(file, program);
      expect(text.length).toBeGreaterThan(200);
      expect(text.length).toBeLessThan(most);
    });

test("the form for browsers imports nothing, and all forms export the same", async () => {
  const whole = await bundled("browser.mjs", 'export * from "orch/client"');
  expect(whole).not.toMatch(/(?:from|import|require\()\s*"node:/);
  const names = Object.keys(kit).sort();
  for (const file of ["node.mjs", "browser.mjs"])
    expect(Object.keys((await import(pathToFileURL(join(folder, file)).href)) as object).sort()).toEqual(names);
});

test("the form for browsers speaks to a server through fetch, and says what it cannot do", async () => {
  const inBrowser = (await import(pathToFileURL(join(folder, "browser.mjs")).href)) as typeof kit;
  await using server = await createServer({ controllers: false });
  const client = await inBrowser.connect({ server, as: "ann", asGroups: ["system:masters"] });
  const maps = client.of(inBrowser.ConfigMap);
  const { resourceVersion } = await maps.list().all();
  await maps.create({ metadata: { name: "a" }, data: { n: "1" } });
  for await (const { type, object } of maps.watch({ resourceVersion })) {
    expect([type, object.data]).toEqual(["ADDED", { n: "1" }]);
    break;
  }
  expect(kit.isNotFound(await maps.get("b").catch((error: unknown) => error))).toBe(true);
  await expect(inBrowser.connect()).rejects.toThrow("a browser has no configuration files");
  await expect(client.of(inBrowser.Pod).exec("a", ["ls"])).rejects.toThrow("that pages of a browser cannot open");
  await expect(inBrowser.connect({ server: "https://a", clientKey: "k" })).rejects.toThrow(
    '"clientKey" has no effect on a server that is reached from a browser',
  );
});
