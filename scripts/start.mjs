/**
 * `npm start`: builds what is needed and runs `orch up` in this same process, so that a signal to npm reaches the server.
 */

import "../bin/node-version.cjs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const build = fileURLToPath(new URL("build.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [build, "--if-stale"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
// What the program is called by: `orch` prints commands that can be pasted.
process.argv.splice(1, 1, fileURLToPath(new URL("../bin/orch", import.meta.url)), "up");
await import("../bin/orch-command.cjs");
