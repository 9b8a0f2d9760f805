/**
 * Takes the pictures of the console in docs/ from a running server with the cluster of cluster.yaml: npm run pictures
 *
 * With a folder as its argument the pictures go there, in both colours and two widths, for people who look at everything.
 */

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { documented, pictures } from "./list.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

/** The states of custom objects. */
const databases = [
  ["data", "orders", "True", "Serving", "three members agree"],
  ["payments", "ledger", "False", "NoQuorum", "one of three members answers"],
];

const [folder] = process.argv.slice(2);

async function main() {
  const data = mkdtempSync(join(tmpdir(), "orch-pictures-"));
  const env = { ...process.env, KUBECONFIG: join(data, ".orch/admin.conf") };
  const run = (program, ...args) =>
    execFileSync(process.execPath, [join(root, "bin", program), ...args], { cwd: data, env, encoding: "utf8" });
  const ctl = (...args) => run("ctl-command.cjs", ...args);
  try {
    run("orch", "up", "--nodes=6", "--detach", "--secure-port=0", "--enable-testing", "--history=24h");
    // Objects of a kind that is defined in the same file need a second time.
    const apply = () => ctl("apply", "--server-side", "-f", join(here, "cluster.yaml"));
    await until(() => succeeds(apply));
    // Which no apply writes.
    for (const [namespace, name, status, reason, message] of databases) {
      const condition = { type: "Ready", status, reason, message, lastTransitionTime: new Date().toISOString() };
      const patch = JSON.stringify({ status: { conditions: [condition] } });
      ctl("patch", "databases", name, "-n", namespace, "--subresource=status", "--type=merge", "-p", patch);
    }
    ctl("simulate", "node", "unready", "node-4");
    ctl("cordon", "node-5");
    ctl("scale", "deployment/cart", "-n", "shop", "--replicas=5");
    await until(() => ctl("get", "pods", "-A").includes("CrashLoopBackOff"));
    // From then on what is not ready is a problem.
    await sleep(35_000);
    await take({ ctl, data, env });
  } finally {
    succeeds(() => run("orch", "stop"));
    rmSync(data, { recursive: true, force: true });
  }
}

async function take({ ctl, data, env }) {
  const child = spawn(process.execPath, [join(root, "bin/ctl-command.cjs"), "console"], { cwd: data, env });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const link = await new Promise((done) => child.stdout.on("data", (chunk) => done(String(chunk).trim())));
    const pod = (app) =>
      ctl("get", "pods", "-n", "shop", "-l", `app=${app}`, "-o", "name").split("\n")[0].slice("pod/".length);
    const forms = folder
      ? [1280, 390].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })))
      : [{ width: 1280, colorScheme: "light" }];
    for (const { width, colorScheme } of forms) {
      const page = await browser.newPage({ viewport: { width, height: width < 500 ? 844 : 800 }, colorScheme });
      await page.goto(link);
      for (const { name, hash, find, shows, act } of pictures) {
        if (!folder && !documented.has(name)) continue;
        await page.evaluate(`location.hash = ${JSON.stringify(hash ?? find(pod))}`);
        await page.getByRole("main").getByText(shows).first().waitFor({ state: "attached", timeout: 60_000 });
        await act?.(page);
        await page.waitForTimeout(2_500);
        const path = folder
          ? join(folder, `${name}-${width}-${colorScheme}.png`)
          : join(root, "docs", `console-${name}.png`);
        await page.screenshot({ path });
        console.log(path);
      }
      await page.close();
    }
  } finally {
    await browser.close();
    child.kill();
  }
}

function succeeds(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

async function until(isTrue) {
  while (!isTrue()) await sleep(1_000);
}

await main();
