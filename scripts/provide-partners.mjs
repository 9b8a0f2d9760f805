/**
 * Gets the reference's own libraries, with the Go that builds them and kustomize, into .cache/partners: what the comparisons in
 * test/partners need. Nothing is installed: Debian's newest suite is asked with lists of our own, and its packages are only unpacked.
 *
 *   node scripts/provide-partners.mjs     (Debian, about 2.7 GB; `npm run test:all` does it too)
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/partners");
const root = join(folder, "root");
/** Written last: a download that was interrupted begins again. */
const isComplete = join(folder, "complete");

const libraries = [
  "golang-1.26-go",
  "golang-1.26-src",
  "golang-cel-cel-go-dev",
  "golang-github-evanphx-json-patch-dev",
  "golang-k8s-apiextensions-apiserver-dev",
  "golang-k8s-apimachinery-dev",
  "golang-k8s-apiserver-dev",
  "golang-k8s-client-go-dev",
  "golang-k8s-sigs-structured-merge-diff-v6-dev",
];
const programs = ["kustomize"];

export function providePartners({ log }) {
  if (existsSync(isComplete)) return;
  const mirror = debianMirror();
  if (mirror === undefined) return log("the reference's libraries come from Debian's packages, and this is no Debian");
  log("getting the reference's libraries: 300 packages, once");
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["lists/partial", "packages", "root"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "status"), "");
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg";
  writeFileSync(join(folder, "sources.list"), `deb [signed-by=${key}] ${mirror} sid main\n`);
  try {
    apt(["update", "-q"]);
    apt(["download", ...goPackages(), ...programs]);
    for (const name of readdirSync(join(folder, "packages"))) run("dpkg", ["-x", join(folder, "packages", name), root]);
    writeFileSync(isComplete, "");
  } catch (error) {
    log(`the reference's libraries could not be had: ${error instanceof Error ? error.message : error}`);
  } finally {
    for (const name of ["lists", "packages", "sources.list", "status"])
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The libraries with all that they import. Packages that are no Go sources are not needed to build a program. */
function goPackages() {
  const list = apt(["install", "--print-uris", "-y", "--no-install-recommends", ...libraries]);
  const names = [...list.matchAll(/^'[^']*' (golang-[^_]+)_/gm)].map(([, name]) => name);
  return [...new Set([...libraries, ...names])];
}

/** The first address in the system's own sources. It is written nowhere else. */
function debianMirror() {
  const files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
  for (const file of files.filter((path) => existsSync(path))) {
    const found = /^(?:URIs:|deb(?: \[[^\]]*\])?) *(\S+)/m.exec(readFileSync(file, "utf8"));
    if (found !== null) return found[1];
  }
  return undefined;
}

function apt(args) {
  const own = {
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(folder, "lists"),
    "Dir::State::status": join(folder, "status"),
    "APT::Sandbox::User": "root",
    "Acquire::Retries": "3",
  };
  return run("apt-get", [...Object.entries(own).flatMap(([name, value]) => ["-o", `${name}=${value}`]), ...args]);
}

function run(command, args) {
  const cwd = join(folder, "packages");
  const result = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 900_000, maxBuffer: 64 * 1024 * 1024 });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.at(-1)}: ${(result.stderr ?? "").trim().split("\n").at(-1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) providePartners({ log: (line) => console.log(line) });
