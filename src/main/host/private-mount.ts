/** The folder in which programs of a cluster look for their account, mounted for one program of this machine only. */

import { spawnSync } from "node:child_process";

/** Where programs in a cluster look for their account. */
const mountPoint = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Shows the rest of /run through links, so that only what is above the mount point is new: the folder belongs to the administrator, and this
 * works without being one. $1 is a folder for the rest, $2 that of the account.
 */
const mountScript = `set -e
mount --make-rprivate /
mount --rbind /run "$1"
mount -t tmpfs tmpfs /run
for old in "$1"/* "$1"/.[!.]*; do [ -e "$old" ] && ln -s "$old" /run/; done
rm -f /run/secrets
mkdir -p /run/secrets/kubernetes.io
ln -s "$2" /run/secrets/kubernetes.io/serviceaccount
shift 2
exec "$@"`;

/** The command line that runs a program with its account at the mount point; undefined: this machine has no private mounts for us. */
export function withMount(
  folder: string,
  account: string,
  command: readonly string[],
): readonly [string, ...string[]] | undefined {
  const isRoot = process.getuid?.() === 0;
  const unshare = [...(isRoot ? [] : ["--map-root-user"]), "--mount"];
  const start = ["unshare", ...unshare, "sh", "-c", mountScript, "sh", folder, account] as const;
  const isThere = spawnSync(start[0], [...start.slice(1), "test", "-r", `${mountPoint}/token`], { stdio: "ignore" });
  return isThere.status === 0 ? [...start, ...command] : undefined;
}

/** Whether a shell finds the program: it is started by one where there are mounts. */
export const isProgram = (name: string): boolean =>
  spawnSync("sh", ["-c", 'command -v -- "$1"', "sh", name], { stdio: "ignore" }).status === 0;
