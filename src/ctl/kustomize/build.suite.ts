/** Builds a tree of files in a test, as `ctl kustomize` does. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import * as kinds from "../../main/kinds.ts";
import { buildKustomization } from "./build.ts";

export interface BuiltTree {
  readonly folder: string;
  /** What `ctl kustomize` prints. */
  build(): Promise<{ readonly out: string; readonly warnings: string }>;
  remove(): void;
}

export function writeTree(files: Iterable<readonly [path: string, content: string]>): BuiltTree {
  const folder = mkdtempSync(join(tmpdir(), "orch-kustomize-"));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return {
    folder,
    async build() {
      let warnings = "";
      const stderr = {
        write: (text: string) => {
          warnings += text;
        },
        writeBytes: () => {},
        isTerminal: false,
        columns: undefined,
        rows: undefined,
        drained: async () => {},
      };
      const loadKinds = async () => Object.values(kinds);
      const built = await buildKustomization(folder, { cwd: folder, stderr, loadKinds });
      return { out: built.map((object) => encodeYaml(object)).join("---\n"), warnings };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a tree prints, or the message of its refusal without the path of its folder. */
export async function outcomeOf(
  files: Iterable<readonly [path: string, content: string]>,
): Promise<{ readonly out: string; readonly refusal?: string }> {
  const tree = writeTree(files);
  try {
    return { out: (await tree.build()).out };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "CtlError") throw error;
    return { out: "", refusal: error.message.replaceAll(tree.folder, "") };
  } finally {
    tree.remove();
  }
}
