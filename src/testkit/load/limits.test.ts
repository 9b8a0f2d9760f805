/** What happens at each limit of loading. */

import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { catalog as kinds } from "../../api/catalog.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { applyAll, definitionMsMax, type LoadTarget, load, loadRoundsMax } from "./load.ts";
import { fileBytesMax, readObjects } from "./read-objects.ts";

/** A server that knows ConfigMaps and definitions, and accepts what `accepts` says. */
function targetThat(accepts: (name: string) => boolean) {
  let pauses = 0;
  const catalog = createCatalog(kinds, plainEnvironment());
  const target: LoadTarget = {
    catalog,
    async fetch(path) {
      const name = new URL(path, "http://x").pathname.split("/").at(-1) ?? "";
      return accepts(name)
        ? new Response("{}")
        : new Response(JSON.stringify({ message: `${name} is refused` }), { status: 422 });
    },
    async pause() {
      pauses++;
    },
  };
  return { target, pauses: () => pauses };
}
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("objects that wait for each other are tried again a limited number of times", async () => {
  const accepted = new Set<string>();
  // Each is accepted when the one before it was, and they come in the wrong order: one more in each round.
  const { target, pauses } = targetThat((name) => {
    const at = Number(name.slice(1));
    if (at > 0 && !accepted.has(`m${at - 1}`)) return false;
    accepted.add(name);
    return true;
  });
  const count = loadRoundsMax + 2;
  const objects = Array.from({ length: count }, (_, at) => ({ object: map(`m${count - 1 - at}`), source: undefined }));
  const refused = await applyAll(target, objects);
  expect([accepted.size, refused.length, pauses()]).toEqual([loadRoundsMax, 2, loadRoundsMax - 1]);
});

test("a round in which nothing was accepted is the last, and a message names the first ten refusals", async () => {
  const { target, pauses } = targetThat(() => false);
  const all = Array.from({ length: 12 }, (_, at) => map(`m${at}`));
  const message = await load(target, all).catch((error: Error) => error.message);
  expect(String(message).split("\n")).toEqual([
    "12 objects could not be loaded:",
    ...all.slice(0, 10).map(({ metadata: { name } }) => `ConfigMap ${name}: ${name} is refused`),
    "and 2 more",
  ]);
  expect(pauses()).toBe(1);
});

test("a kind that is not served in time is named, with how long it was waited for", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  try {
    const { target } = targetThat(() => true);
    const spec = { group: "example.com", names: { kind: "Toy" }, versions: [{ name: "v1", served: true }] };
    const definition = {
      ...map("toys"),
      apiVersion: "apiextensions.orch.io/v1",
      kind: "CustomResourceDefinition",
      spec,
    };
    const loading = load(target, [definition]).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(2 * definitionMsMax + 1_000); // it is tried twice
    expect(await loading).toContain(`Toy of example.com/v1 was not served within ${definitionMsMax} ms`);
  } finally {
    vi.useRealTimers();
  }
});

test("a file that is too large is refused before it is read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-load-"));
  const path = join(folder, "large.json");
  await writeFile(path, "{}");
  await truncate(path, fileBytesMax + 1); // the rest is a hole, which takes no space
  await expect(readObjects(path)).rejects.toThrow(`${path} has more than ${fileBytesMax} bytes`);
  await rm(folder, { recursive: true });
});
