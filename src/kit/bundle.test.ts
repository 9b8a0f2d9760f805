/** What `import "orch/client"` loads. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as versions from "../main/kind-versions.ts";
import * as hubs from "../main/kinds.ts";
import { createServer, on, plugin } from "../main/library.ts";
import * as kit from "./orch-client.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-client-"));
const outfile = join(folder, "client.cjs");
let metafile: Metafile;

beforeAll(async () => {
  const external = ["@opentelemetry/api"];
  const options = {
    bundle: true,
    platform: "node",
    format: "cjs",
    metafile: true,
    minifyWhitespace: true,
    external,
  } as const;
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

test("a refusal of another bundle is a StatusError: thrown in an admission plugin, caught from a client, checked by reason", async () => {
  const other = createRequire(outfile)(outfile) as typeof kit; // the same exports
  expect(other.StatusError).not.toBe(kit.StatusError);
  const refusal = other.conflictError(kit.ConfigMap, "prices", "paid meanwhile");
  expect([refusal instanceof kit.StatusError, kit.isConflict(refusal), kit.isNotFound(refusal)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([new Error("x") instanceof kit.StatusError, {} instanceof kit.StatusError]).toEqual([false, false]);
  const guard = plugin("Guard", [
    on(hubs.ConfigMap, "CREATE", {
      validate() {
        throw refusal;
      },
    }),
  ]);
  await using server = await createServer({ controllers: false, admission: [guard] });
  const client = await other.connect({ server });
  const failed = await client
    .of(kit.ConfigMap)
    .create({ metadata: { name: "prices" } })
    .catch((error: unknown) => error);
  expect(kit.isConflict(failed) && [failed.code, failed.message]).toEqual([
    409,
    'Operation cannot be fulfilled on configmaps "prices": paid meanwhile',
  ]);
});
