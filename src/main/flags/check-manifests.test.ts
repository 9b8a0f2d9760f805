import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkManifests } from "./check-manifests.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-manifests-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("what --load names is read before a server opens, and a problem names the flag and the file", async () => {
  await checkManifests("load", "");
  const missing = join(folder, "nope");
  await expect(checkManifests("load", missing)).rejects.toThrow(
    `--load: cannot read ${missing}: there is no such file`,
  );
  await expect(checkManifests("load", folder)).rejects.toThrow(`--load: ${folder} has no files that end with`);
  await writeFile(join(folder, "a.yaml"), "metadata: {name: [");
  await expect(checkManifests("load", folder)).rejects.toThrow(join(folder, "a.yaml"));
  await writeFile(join(folder, "a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  await checkManifests("load", folder);
});
