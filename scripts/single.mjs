/**
 * `npm run build:single`: one file with Node, `orch` and `ctl`, for the machine that builds it. It is the Node that runs this script, with
 * the built programs and the packages that they need as assets (https://nodejs.org/api/single-executable-applications.html).
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "postject";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, process.argv[2] ?? "dist/single/orch");
/** By which Node finds what it carries. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

if (!existsSync(join(root, "dist/orch.js"))) fail("the programs are not built yet; run: npm run build");
const work = join(root, ".cache/single");
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const paths = [
  "package.json",
  ...filesIn("bin"),
  ...filesIn("dist").filter(isRun),
  ...packageFolders().flatMap(filesIn),
];
const files = paths.map((path) => {
  const found = lstatSync(join(root, path));
  return found.isSymbolicLink() ? { path, link: readlinkSync(join(root, path)) } : { path, mode: found.mode & 0o755 };
});
const digest = createHash("sha256").update(process.version);
for (const path of [...paths, "scripts/single/start.cjs"]) digest.update(path).update(readFileSync(join(root, path)));
const index = join(work, "index.json");
writeFileSync(index, JSON.stringify({ digest: digest.digest("hex"), files }));

const config = {
  main: join(root, "scripts/single/start.cjs"),
  output: join(work, "orch.blob"),
  disableExperimentalSEAWarning: true,
  assets: {
    "index.json": index,
    ...Object.fromEntries(files.filter(({ link }) => !link).map(({ path }) => [path, join(root, path)])),
  },
};
writeFileSync(join(work, "config.json"), JSON.stringify(config));
const made = spawnSync(process.execPath, ["--experimental-sea-config", join(work, "config.json")], {
  encoding: "utf8",
});
if (made.status !== 0) fail(made.stderr);

mkdirSync(dirname(target), { recursive: true });
rmSync(target, { force: true });
copyFileSync(process.execPath, target);
chmodSync(target, 0o755);
const isMac = process.platform === "darwin";
await inject(target, "NODE_SEA_BLOB", readFileSync(config.output), {
  sentinelFuse: fuse,
  ...(isMac && { machoSegmentName: "NODE_SEA" }),
});
if (isMac) spawnSync("codesign", ["--sign", "-", "--force", target], { stdio: "inherit" });
rmSync(work, { recursive: true, force: true });
console.error(
  `build: ${target}, ${Math.round(statSync(target).size / 1e6)} MB; a link to it named ctl is the command line`,
);

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .filter((path) => !path.slice(folder.length).includes("/node_modules/"))
    .sort();
}

/** Not what only compilers and debuggers read. */
function isRun(path) {
  return !/\.map$|\.d\.c?ts$|^dist\/(types|single)\//.test(path);
}

/** Of the packages that users install, those for this machine. */
function packageFolders() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true)
    .map(([path]) => path);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
