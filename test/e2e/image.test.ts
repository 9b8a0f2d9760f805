/**
 * The last stage of deploy/docker/Dockerfile, carried out line by line over the files of this machine, and its command run as a container
 * engine would: not as root, with a read-only root and /data to write. Base images and packages cannot be fetched in a test.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, run } from "./programs.ts";

const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];

function canMount(): boolean {
  if (!existsSync("/usr/bin/nsenter") || !existsSync("/usr/bin/setpriv")) return false;
  try {
    const script = "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r";
    const overlay = "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r";
    execFileSync("unshare", [...namespaces, "sh", "-c", `${script} && ${overlay}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface Stage {
  readonly folder: string;
  /** What is copied from the repository, and where to. */
  readonly copies: readonly (readonly [from: string, to: string])[];
  readonly runs: readonly string[];
  readonly user: string;
  readonly environment: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

function lastStage(text: string): Stage {
  const lines = text.split("\n");
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  const all = (word: string) =>
    stage.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1) : []));
  const listIn = (line = "") => JSON.parse(line.slice(line.indexOf("["))) as string[];
  const [folder = ""] = all("WORKDIR");
  return {
    folder,
    copies: all("COPY").map((line) => {
      const [, from = "", to = ""] = /^--from=build \/src\/(\S+) \.\/(\S*)$/.exec(line) ?? [];
      return [from, to === "" ? from : to];
    }),
    runs: all("RUN"),
    user: all("USER")[0] ?? "0:0",
    environment: all("ENV"),
    command: [...listIn(all("ENTRYPOINT")[0]), ...listIn(all("CMD")[0])],
    healthCheck: listIn(all("HEALTHCHECK")[0]),
  };
}

/** unshare and nsenter start what they are told as a child. */
const childOf = async ({ pid }: ChildProcess) => (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim();

const root = "/mnt/root";

/** Builds the root, makes it read-only, and waits. */
function scriptOf({ folder, copies, runs }: Stage): string {
  return [
    "set -eu",
    "mount --make-rprivate /",
    "mount -t tmpfs tmpfs /mnt",
    `mkdir /mnt/upper /mnt/work ${root}`,
    `mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mkdir -p ${root}${folder}`,
    ...copies.flatMap(([from, to]) => [
      `if [ -d '${resolve(from)}' ]; then mkdir -p '${root}${folder}/${to}'; else touch '${root}${folder}/${to}'; fi`,
      `mount --bind '${resolve(from)}' '${root}${folder}/${to}'`,
      `mount -o remount,bind,ro '${root}${folder}/${to}'`,
    ]),
    ...runs.map((command) => `chroot ${root} sh -c '${command}'`),
    // What a container engine gives: /data of the owner that the image made, /tmp, nothing else.
    `owner=$(stat --format=uid=%u,gid=%g ${root}/data)`,
    `mount -t tmpfs -o mode=700,$owner tmpfs ${root}/data`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount -o remount,ro,bind ${root}`,
    "echo ready",
    "sleep 600",
  ].join("\n");
}

describe.skipIf(!canMount())("the image", () => {
  let folder = "";
  let holder: ChildProcess | undefined;
  let server: ChildProcess | undefined;
  let output = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-image-"));
  });
  afterAll(async () => {
    server?.kill("SIGKILL");
    holder?.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  test("runs without root on a read-only root, and its health check sees it", async () => {
    const stage = lastStage(await readFile(resolve("deploy/docker/Dockerfile"), "utf8"));
    const script = join(folder, "build.sh");
    await writeFile(script, scriptOf(stage));
    holder = spawn("unshare", [...namespaces, "sh", script]);
    for (const stream of [holder.stdout, holder.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
    const patience = { timeout: 60_000, interval: 100 };
    await expect.poll(() => output, patience).toContain("ready");

    const first = await childOf(holder);
    const port = await freePort();
    const [user = "", group = ""] = stage.user.split(":");
    const inside = (...args: string[]) => [
      ...["--target", first, "--mount", "--pid", `--root=/proc/${first}/root${root}`],
      ...["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups", "--no-new-privs", "--bounding-set=-all"],
      ...["env", "--chdir=/", ...stage.environment, `ORCH_HEALTH_URL=https://127.0.0.1:${port}/livez`, ...args],
    ];
    server = spawn("nsenter", inside(...stage.command, "--bind-address=127.0.0.1", `--secure-port=${port}`));
    for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
    const isHealthy = async () => (await run("nsenter", inside(...stage.healthCheck))).code === 0;
    await expect.poll(isHealthy, { ...patience, message: output }).toBe(true);
    expect(output).toContain('"msg":"serving"');

    const written = await run("nsenter", inside("touch", "/etc/written", `${stage.folder}/written`, "/data/written"));
    expect(written.stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect((await run("nsenter", inside("stat", "--format=%u %a", "/data/store"))).stdout.trim()).toBe(`${user} 700`);

    const exited = new Promise<number | null>((done) => server?.once("exit", (code) => done(code)));
    process.kill(Number(await childOf(server)), "SIGTERM");
    expect(await exited, output).toBe(0);
    expect(await isHealthy()).toBe(false);
  });
});
