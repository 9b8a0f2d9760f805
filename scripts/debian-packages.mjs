/**
 * Packages of Debian's newest suite, unpacked into a folder. Nothing is installed, and the system's own lists are not touched: apt is
 * asked with lists of our own.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `namesOf` may ask apt. What the packages hold is in the returned folder; throws an Error in one sentence where they cannot be had. */
export function unpackFromDebian({ folder, namesOf }) {
  const mirror = debianMirror();
  if (mirror === undefined) throw new Error("they come from Debian's packages, and this is no Debian");
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["lists/partial", "packages", "root"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "status"), "");
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg";
  writeFileSync(join(folder, "sources.list"), `deb [signed-by=${key}] ${mirror} sid main\n`);
  const apt = (args) => askApt(folder, args);
  const root = join(folder, "root");
  try {
    apt(["update", "-q"]);
    apt(["download", ...namesOf(apt)]);
    for (const name of readdirSync(join(folder, "packages")))
      run("dpkg", ["-x", join(folder, "packages", name), root], folder);
  } finally {
    for (const name of ["lists", "packages", "sources.list", "status"])
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  return root;
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

function askApt(folder, args) {
  const own = {
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(folder, "lists"),
    "Dir::State::status": join(folder, "status"),
    "APT::Sandbox::User": "root",
    "Acquire::Retries": "3",
  };
  const options = Object.entries(own).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  return run("apt-get", [...options, ...args], join(folder, "packages"));
}

function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 900_000, maxBuffer: 64 * 1024 * 1024 });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.at(-1)}: ${(result.stderr ?? "").trim().split("\n").at(-1)}`);
}
