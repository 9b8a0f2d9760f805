/** The operator of the examples as a user runs it: a process of its own, with a configuration file, against `orch up` over HTTPS. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { type Client, ConfigMap, connect, Deployment, Event, Lease } from "orch/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Website } from "../../examples/operator/operator.ts";
import { openUpSession, type UpSession } from "./up-session.ts";

/** Inside the package, so that `orch/client` is what the build has made. */
const folder = resolve(".cache/operator-test");
const program = join(folder, "operator.mjs");
const soon = { timeout: 60_000, interval: 50 };

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const options = { bundle: true, platform: "node", format: "esm" } as const;
  const entryPoints = ["examples/operator/operator.ts"];
  await build({ ...options, external: ["orch/client"], entryPoints, outfile: program });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same program works with both; the long form shows it with servers of their own. */
const servers = [
  { vocabulary: "orch", level: "1.35" },
  { vocabulary: "kubernetes", level: "1.21" },
];
for (const { vocabulary, level } of process.env["LONG_TESTS"] === undefined ? servers.slice(1) : servers)
  describe(`against orch up that speaks ${vocabulary}, at level ${level}`, () => {
    let session: UpSession;
    let client: Client;
    const operators: ChildProcess[] = [];
    const startOperator = () => {
      const env = { ...process.env, KUBECONFIG: join(session.folder, "data/admin.conf") };
      const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "inherit", "inherit"] });
      operators.push(child);
      return child;
    };
    const holder = async () => (await client.of(Lease).find("website-operator"))?.spec?.holderIdentity;
    const readyOf = async (name: string) => {
      const { status } = await client.of(Website).get(name);
      return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
    };

    beforeAll(async () => {
      const choice = [`--vocabulary=${vocabulary}`, `--emulated-version=${level}`];
      session = await openUpSession(...choice, "--nodes=1", "--console=false");
      client = await connect({ kubeconfig: join(session.folder, "data/admin.conf") });
    });
    afterAll(async () => {
      for (const child of operators) if (child.exitCode === null) child.kill("SIGKILL");
      client.close();
      await session.close();
    });

    test("a site is served, a second operator takes over, and what a deleted site owned is gone", async () => {
      expect(client.vocabulary).toBe(vocabulary);
      const first = startOperator();
      await vi.waitFor(async () => expect(await holder()).toBeTruthy(), soon);
      const spec = { host: "shop.example.com", html: "<h1>hello</h1>", replicas: 2 };
      await client.of(Website).create({ metadata: { name: "shop" }, spec });
      await vi.waitFor(async () => expect(await readyOf("shop")).toBe("Serving"), soon);
      expect((await client.of(Deployment).get("shop")).status?.readyReplicas).toBe(2);
      await vi.waitFor(async () => {
        const about = client.of(Event).list({ fieldSelector: "involvedObject.name=shop,reason=Serving" });
        expect((await about.all()).items).toHaveLength(1);
      }, soon);

      const before = await holder();
      const second = startOperator();
      first.kill("SIGTERM");
      expect((await once(first, "exit"))[0]).toBe(0);
      await vi.waitFor(async () => expect([undefined, "", before]).not.toContain(await holder()), soon);
      await client.of(Website).scale.set("shop", 3);
      await vi.waitFor(
        async () => expect((await client.of(Deployment).get("shop")).status?.readyReplicas).toBe(3),
        soon,
      );

      await client.of(Website).delete("shop");
      await vi.waitFor(async () => {
        expect(await client.of(Website).find("shop")).toBeUndefined();
        expect(await client.of(Deployment).find("shop")).toBeUndefined();
        expect(await client.of(ConfigMap).find("shop-page")).toBeUndefined();
      }, soon);
      second.kill("SIGTERM");
      expect((await once(second, "exit"))[0]).toBe(0);
    });
  });
