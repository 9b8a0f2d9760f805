/** The units of deploy/systemd under a systemd of its own: hardening, readiness, restarts and a clean stop, as the files say. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, run } from "./programs.ts";

const namespaces = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--cgroup", "--kill-child"];
const patience = { timeout: 60_000, interval: 200 };

/** Namespaces need root, or a kernel and a container that allow them. The unit names /usr/bin/node. */
function canBoot(): boolean {
  if (!existsSync("/lib/systemd/systemd") || !existsSync("/usr/bin/node") || !existsSync("/usr/bin/nsenter"))
    return false;
  try {
    const script = "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mount -t cgroup2 cgroup2 /mnt";
    execFileSync("unshare", [...namespaces, "sh", "-c", script], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** What the targets of a whole system would bring is not needed, and some of it would concern the machine. */
const targets = ["sysinit", "basic", "shutdown", "network-online", "time-sync", "multi-user"];

describe.skipIf(!canBoot())("the systemd unit under systemd", () => {
  let folder = "";
  let port = 0;
  let systemd: ChildProcess | undefined;
  let inside: readonly string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-systemd-"));
    port = await freePort();
    const units = join(folder, "units");
    await mkdir(units);
    for (const name of targets) await writeFile(join(units, `${name}.target`), "[Unit]\nDefaultDependencies=no\n");
    for (const unit of ["orch", "orch-controller-manager"]) {
      await mkdir(join(units, `${unit}.service.d`));
      await cp(resolve(`deploy/systemd/${unit}.service`), join(units, `${unit}.service`));
      // There is no journal.
      const output = `StandardOutput=append:/run/${unit}.log\nStandardError=append:/run/${unit}.log\n`;
      await writeFile(join(units, `${unit}.service.d/output.conf`), `[Service]\n${output}`);
    }
    const environment = join(folder, "orch.env");
    await writeFile(environment, `ORCH_FLAGS=--bind-address=127.0.0.1 --secure-port=${port}\n`);
    const args = [...namespaces, resolve("test/e2e/systemd-boot.sh"), resolve("."), units, environment];
    systemd = spawn("unshare", args, { stdio: "ignore" });
  });
  afterAll(async () => {
    systemd?.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  const within = (...args: string[]) => run("nsenter", [...inside, ...args]);
  const property = async (name: string) =>
    (await within("systemctl", "show", `--property=${name}`, "--value", "orch")).stdout.trim();
  const log = async () => (await within("cat", "/run/orch.log")).stdout;
  const isAlive = async () => {
    const env = { ORCH_HEALTH_URL: `https://127.0.0.1:${port}/livez` };
    return (await run(process.execPath, [resolve("deploy/docker/healthcheck.mjs")], { env })).code === 0;
  };
  const booted = async () => {
    const children = `/proc/${systemd?.pid}/task/${systemd?.pid}/children`;
    await expect.poll(() => readFile(children, "utf8"), patience).toMatch(/\d/);
    inside = ["--target", (await readFile(children, "utf8")).trim(), "--mount", "--pid", "--cgroup"];
  };
  /** The unit counts as started only when the server said so. */
  const started = () => expect.poll(() => property("ActiveState"), patience).toBe("active");

  test("starts, is restarted after a crash with its objects, reloads, and stops cleanly", async () => {
    await booted();
    await started();
    expect(await property("StatusText")).toBe(`serving https://127.0.0.1:${port}`);
    expect(await isAlive()).toBe(true);

    const first = await property("MainPID");
    const status = (await within("cat", `/proc/${first}/status`)).stdout;
    expect(status).not.toMatch(/^Uid:\t0\t/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    const written = await within("nsenter", "--target", first, "--mount", "touch", "/etc/written", "/usr/written");
    expect(written.stderr).toContain("Read-only file system");
    expect((await within("stat", "--format=%U %a", "/var/lib/orch")).stdout.trim()).toBe("orch 700");

    expect((await within("systemctl", "reload", "orch")).code).toBe(0);
    await within("kill", "-KILL", first);
    await expect.poll(() => property("NRestarts"), patience).toBe("1");
    await started();
    expect(await property("MainPID")).not.toBe(first);
    expect(await isAlive()).toBe(true);

    expect((await within("systemctl", "stop", "orch")).code).toBe(0);
    expect([await property("Result"), await property("ExecMainStatus")], await log()).toEqual(["success", "0"]);
    expect(await isAlive()).toBe(false);
  }, 180_000);

  test("with the controller manager, and certificates and flags as the page says, rolls out a Deployment", async () => {
    const installed = "/usr/lib/node_modules/orch";
    const env = "env KUBECONFIG=/etc/orch/pki/admin.conf PATH=/usr/bin:/bin";
    const here = `sed "s/^ORCH_FLAGS=/&--bind-address=127.0.0.1 --secure-port=${port} /; s/^ORCH_MANAGER_FLAGS=/&--secure-port=0/"`;
    const prepare = [
      `${here} ${installed}/deploy/systemd/orch.env > /etc/orch/orch.env`,
      `${installed}/deploy/ha/certificates.sh /etc/orch/pki api.example.com`,
      `sed -i s/:6443/:${port}/ /etc/orch/pki/*.conf`,
      "chown -R orch: /etc/orch",
      "systemctl start orch orch-controller-manager",
      // Processes of these namespaces, which end with them.
      `(${env} node ${installed}/bin/orch scheduler > /dev/null 2>&1 & ${env} node ${installed}/bin/orch nodes --count=2 > /dev/null 2>&1 &)`,
    ];
    const prepared = await within("sh", "-ec", prepare.join("\n"));
    expect(prepared.code, prepared.stderr).toBe(0);
    const ctl = async (line: string) => {
      const { stdout, stderr } = await within("sh", "-c", `${env} node ${installed}/bin/ctl ${line}`);
      return stdout + stderr;
    };
    expect(await ctl("create deployment web --image=web:1 --replicas=2")).toContain("deployment.apps/web created");
    const rolledOut = await ctl("rollout status deployment/web --timeout=120s");
    expect(rolledOut, (await within("cat", "/run/orch-controller-manager.log")).stdout).toContain(
      "successfully rolled out",
    );
    expect((await within("systemctl", "stop", "orch-controller-manager", "orch")).code).toBe(0);
  }, 240_000);

  test("is not restarted repeatedly if its flags are wrong", async () => {
    await within("sh", "-c", "echo ORCH_FLAGS=--no-such-flag > /etc/orch/orch.env");
    expect((await within("systemctl", "start", "orch")).code).not.toBe(0);
    expect([await property("ActiveState"), await property("ExecMainStatus")]).toEqual(["failed", "2"]);
    expect(await log()).toContain("orch: unknown flag --no-such-flag");
  });
});
