/**
 * What the single executable runs: it unpacks the programs that it carries into the user's cache, once for each build, and starts
 * the one that it was called as (`ctl`, a link named so, or `orch`). Its own programs start it again in place of Node.
 */

const {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { createRequire } = require("node:module");
const { homedir, tmpdir, userInfo } = require("node:os");
const { basename, dirname, join, sep } = require("node:path");
const { getAsset } = require("node:sea");

const index = JSON.parse(getAsset("index.json", "utf8"));

/** A folder of this user that nobody else can write: what is in it will be run. */
function unpackedFolder() {
  const uid = userInfo().uid;
  const places = [
    ...(process.env.XDG_CACHE_HOME ? [join(process.env.XDG_CACHE_HOME, "orch")] : []),
    join(homedir(), ".cache/orch"),
    join(tmpdir(), `orch-${uid}`),
  ];
  const problems = [];
  for (const place of places)
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const found = lstatSync(place);
      if (!found.isDirectory() || (uid >= 0 && found.uid !== uid)) throw new Error("it belongs to somebody else");
      if (uid >= 0 && (found.mode & 0o022) !== 0) throw new Error("others can write it");
      const folder = join(place, index.digest.slice(0, 16));
      if (!existsSync(join(folder, "package.json"))) unpack(place, folder);
      return folder;
    } catch (error) {
      problems.push(`${place}: ${error.message}`);
    }
  throw new Error(`the programs cannot be unpacked:\n${problems.join("\n")}`);
}

/** Beside its place first, so that a start which is killed, or two at once, leave nothing half done. */
function unpack(place, folder) {
  const fresh = mkdtempSync(join(place, "new-"));
  for (const { path, mode, link } of index.files) {
    const target = join(fresh, path);
    mkdirSync(dirname(target), { recursive: true });
    if (link !== undefined) {
      symlinkSync(link, target);
      continue;
    }
    writeFileSync(target, contentOf(path), { mode });
    chmodSync(target, mode);
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, "package.json"))) throw error;
  }
}

/** Shell scripts that look for Node find this executable. */
function contentOf(path) {
  const content = Buffer.from(getAsset(path));
  if (!path.startsWith("bin/")) return content;
  const quoted = `'${process.execPath.replaceAll("'", `'\\''`)}'`;
  return Buffer.from(content.toString().replace('for node in "$(command -v node)"', () => `for node in ${quoted}`));
}

const folder = realpathSync(unpackedFolder());
const load = createRequire(join(folder, "package.json"));
const [program = "", ...rest] = process.argv.slice(2);
if (program.startsWith(folder + sep)) {
  process.argv = [process.execPath, program, ...rest];
  load(program);
} else {
  const name = basename(process.argv0 || "").replace(/\.exe$/, "");
  const isCtl = /^(ctl|orchctl|kubectl)/.test(name) || program === "ctl";
  const args = program === "ctl" ? rest : process.argv.slice(2);
  process.argv = [process.execPath, join(folder, isCtl ? "bin/ctl" : "bin/orch"), ...args];
  load(isCtl ? "./bin/ctl-command.cjs" : "./bin/orch-command.cjs");
}
