import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeKv } from "../contract.suite.ts";
import { openEmbeddedKv } from "./embedded.ts";

describeKv("embedded", async () => {
  const parent = mkdtempSync(join(tmpdir(), "kv-"));
  return {
    open: () => openEmbeddedKv({ folder: join(parent, "data") }),
    remove: async () => rmSync(parent, { recursive: true, force: true }),
  };
});
