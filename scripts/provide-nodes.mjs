/**
 * Gets the newer versions of Node that the program runs on, beside the one that is installed: npm's package `node` holds the executable.
 * `npm run test:all` and `npm run bench -- --only=nodes` put it into .cache/nodes/, 200 MB each.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Beside the oldest one that `package.json` allows, with which everything else is tested. */
const newerNodes = [22, 24, 26];

/** The executables of those that are there. `root`: the folder of the project. */
export function provideNodes(root, { log }) {
  return newerNodes.flatMap((version) => {
    const own = join(root, ".cache/nodes", String(version));
    const path = join(own, "node_modules/node/bin/node");
    if (!existsSync(path)) {
      log(`getting Node ${version}`);
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, "package.json"), '{ "private": true }\n');
      const install = ["install", "--no-audit", "--no-fund", "--no-package-lock", `node@${version}`];
      spawnSync("npm", install, { cwd: own, stdio: "ignore", timeout: 300_000 });
    }
    const { status } = spawnSync(path, ["--version"], { stdio: "ignore" });
    if (status === 0) return [{ version, path }];
    log(`Node ${version} could not be had from npm: what is compared with it is left out`);
    return [];
  });
}
