/**
 * Gets the programs that some suites need beyond Node: etcd, PostgreSQL, kubectl, the Python client, Go, Java, prometheus, openssl, jq and Chromium.
 *
 * As a command, or for CI, it installs what is missing (root on a Debian-like system). Otherwise it only says what is
 * missing and how to get it, and the suites skip what needs it.
 * kubectl is unpacked into .cache/ instead, because a machine may have another one already that must stay.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const kubectlPath = join(root, ".cache/kubernetes-client/usr/bin/kubectl");

const needs = [
  { name: "etcd", isThere: () => runs("etcd", ["--version"]), get: () => installPackages("etcd-server") },
  {
    name: "PostgreSQL",
    isThere: () => existsSync("/usr/lib/postgresql"),
    get: () => installPackages("postgresql"),
  },
  { name: "kubectl", isThere: () => existsSync(kubectlPath), get: unpackKubectl },
  {
    name: "the Python client",
    isThere: () => runs("/usr/bin/python3", ["-c", "import kubernetes"]),
    get: () => installPackages("python3-kubernetes"),
  },
  { name: "gcc", isThere: () => runs("gcc", ["--version"]), get: () => installPackages("gcc", "libc6-dev") },
  {
    name: "prometheus",
    isThere: () => runs("prometheus", ["--version"]) && runs("promtool", ["--version"]),
    get: () => installPackages("prometheus"),
  },
  { name: "Go", isThere: () => runs("go", ["version"]), get: () => installPackages("golang-go") },
  { name: "Java", isThere: () => runs("javac", ["-version"]), get: () => installPackages("default-jdk-headless") },
  { name: "openssl", isThere: () => runs("openssl", ["version"]), get: () => installPackages("openssl") },
  { name: "jq", isThere: () => runs("jq", ["--version"]), get: () => installPackages("jq") },
  { name: "Chromium", isThere: () => existsSync("/usr/bin/chromium"), get: () => installPackages("chromium") },
  { name: "haproxy", isThere: () => runs("/usr/sbin/haproxy", ["-v"]), get: () => installPackages("haproxy") },
  { name: "systemd", isThere: () => runs("systemd-analyze", ["--version"]), get: () => installPackages("systemd") },
];

export function provide({ log, install }) {
  const missing = needs.filter((need) => !need.isThere());
  if (missing.length === 0) return;
  if (!install) {
    const names = missing.map(({ name }) => name).join(", ");
    log(`missing: ${names}; tests that need them are skipped. To get them: node scripts/provide.mjs (root, Debian)`);
    return;
  }
  if (process.getuid?.() !== 0 || !runs("apt-get", ["--version"])) {
    for (const { name } of missing) log(`${name} is missing and cannot be installed without root and apt-get`);
    return;
  }
  apt(["update", "-q"]);
  for (const { name, get, isThere } of missing) {
    log(`getting ${name}`);
    get();
    if (!isThere()) log(`${name} could not be installed`);
  }
}

function installPackages(...names) {
  apt(["install", "-y", "-q", "--no-install-recommends", ...names]);
}

function unpackKubectl() {
  const target = join(root, ".cache/kubernetes-client");
  mkdirSync(target, { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/download-"));
  try {
    apt(["download", "kubernetes-client"], folder);
    const file = readdirSync(folder).find((name) => name.endsWith(".deb"));
    if (file !== undefined) spawnSync("dpkg", ["-x", join(folder, file), target], { stdio: "ignore" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function apt(args, cwd = root) {
  // As root apt drops its rights for downloads, which a folder of ours would not allow.
  const options = ["-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = spawnSync("apt-get", [...options, ...args], { cwd, env, encoding: "utf8", timeout: 300_000 });
  if (result.status !== 0) console.log(`apt-get ${args.join(" ")}: ${(result.stderr ?? "").trim().split("\n").at(-1)}`);
}

function runs(command, args) {
  return spawnSync(command, args, { stdio: "ignore", timeout: 30_000 }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) provide({ log: (line) => console.log(line), install: true });
