/** What `import "orch/client"` loads. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as versions from "../main/kind-versions.ts";
import * as hubs from "../main/kinds.ts";
import * as kit from "./orch-client.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-client-"));
const outfile = join(folder, "client.cjs");
let metafile: Metafile;

beforeAll(async () => {
  const options = { bundle: true, platform: "node", format: "cjs", metafile: true, minifyWhitespace: true } as const;
  const define = { "import.meta.url": "__filename" };
  ({ metafile } = await build({ ...options, define, entryPoints: ["src/kit/orch-client.ts"], outfile }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the bundle contains no part of the server", () => {
  const rooms = new Set(Object.keys(metafile.inputs).map((path) => /^src\/[^/]+|^node_modules\/[^/]+/.exec(path)?.[0]));
  const allowed = ["src/base", "src/client", "src/kit", "src/machinery", "src/metrics", "src/vocabulary"];
  expect([...rooms].filter((room) => !allowed.includes(room ?? ""))).toEqual([]);
});

/** Processor time, because other tests run at the same time; the best of several, because the first one reads the disk. */
test("loading it takes less than 30 ms", () => {
  const script = `const before = process.cpuUsage(); require(${JSON.stringify(outfile)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`;
  const runs = [1, 2, 3, 4, 5].map(() =>
    Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout),
  );
  expect(Math.min(...runs)).toBeGreaterThan(0);
  expect(Math.min(...runs)).toBeLessThan(30);
});

/** What is sent to and answered by paths under other objects. */
const calls = ["Binding", "EphemeralContainers", "Eviction", "Scale", "TokenRequest"];

test("kinds have the names of their declarations, and none is missing that has calls of its own", () => {
  const names = ({ group, version, kind, resource, scope }: kit.ServedKind) => ({
    group,
    version,
    kind,
    resource,
    scope,
  });
  const exported = Object.entries(kit).flatMap(([name, value]) =>
    typeof value === "object" && "resource" in value ? [[name, names(value)] as const] : [],
  );
  const expected = Object.entries({ ...hubs, ...versions }).flatMap(([name, kind]) =>
    calls.includes(name) ? [] : [[name, names(kind)] as const],
  );
  expect(Object.fromEntries(exported)).toEqual(Object.fromEntries(expected));
});
