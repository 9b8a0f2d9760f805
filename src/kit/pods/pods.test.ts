/** Logs, processes and ports of pods that a simulated node runs. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { createServer, type OrchServer } from "../../main/library.ts";
import { type Client, connect, isForbidden, isNotFound, Pod, type RemoteProcess, StatusError } from "../orch-client.ts";

describe.each([
  ["1.21", "kubernetes"],
  ["1.35", "orch"],
] as const)("at level %s in the names of %s", (emulatedVersion, vocabulary) => {
  let server: OrchServer;
  let client: Client;
  const pods = () => client.of(Pod);
  beforeAll(async () => {
    server = await createServer({ emulatedVersion, vocabulary, nodes: 1, authorization: "RBAC" });
    client = await connect({ server });
    const named = {
      logs: "first\nsecond\nthird\n",
      exec: JSON.stringify({ "pg_isready -q": { stderr: "not yet\n", exitCode: 2 }, uptime: "up 3 days\n" }),
      ports: JSON.stringify({ 80: { http: "hello" } }),
    };
    const annotations = Object.fromEntries(
      Object.entries(named).map(([name, value]) => [`simulation.orch.io/${name}`, value]),
    );
    await pods().create({ metadata: { name: "a", annotations }, spec: { containers: [{ name: "main", image: "i" }] } });
    await server.until(Pod, "a", (pod) => pod.status?.phase === "Running");
    await server.settled(); // the node may know it a moment later
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  test("logs are lines, a text or a stream, and as few of them as wanted", async () => {
    const lines: string[] = [];
    for await (const line of pods().logs("a")) lines.push(line);
    expect(lines).toEqual(["first", "second", "third"]);
    expect(await pods().logs("default/a", { tailLines: 1 }).text()).toBe("third\n");
    expect(await pods().logs("a", { tailLines: 0 }).text()).toBe("");
    expect(await new Response(await pods().logs("a").stream()).text()).toBe("first\nsecond\nthird\n");
    expect(
      isNotFound(
        await pods()
          .logs("none")
          .text()
          .catch((error: unknown) => error),
      ),
    ).toBe(true);
    await expect(pods().logs("").text()).rejects.toThrow("a name is needed");
  });

  test("a log that is followed goes on until the signal ends it", async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of pods().logs("a", { follow: true, signal: stop.signal })) {
        lines.push(line);
        if (lines.length === 3) stop.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toThrow("enough");
    expect(lines).toEqual(["first", "second", "third"]);
  });

  test("a command has its output, its errors and its exit code", async () => {
    expect(await (await pods().exec("a", ["uptime"])).output()).toEqual({
      stdout: "up 3 days\n",
      stderr: "",
      exitCode: 0,
    });
    const failed = await pods().exec("a", ["pg_isready", "-q"]);
    expectTypeOf(failed).toEqualTypeOf<RemoteProcess>();
    expect(await failed.output()).toEqual({ stdout: "", stderr: "not yet\n", exitCode: 2 });
    const shell = await pods().exec("a", ["sh", "-c", "cat; exit 3"], { stdin: ["one\n", "two\n"] });
    expect(await shell.output()).toMatchObject({ stdout: "one\ntwo\n", exitCode: 3 });
    await expect(pods().exec("a", [])).rejects.toThrow("exec: the command must not be empty");
  });

  test("a signal ends a process that runs, and its streams say why", async () => {
    const stop = new AbortController();
    const sleeping = await pods().exec("a", ["sleep", "3600"], { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(sleeping.exitCode).rejects.toThrow("enough");
    await expect(sleeping.output()).rejects.toThrow("enough");
    await expect(pods().exec("a", ["uptime"], { signal: AbortSignal.abort(new Error("never")) })).rejects.toThrow(
      "never",
    );
    await using attached = await pods().attach("a");
    await attached.close();
  });

  test("a forwarded port answers, and is closed with its block", async () => {
    let url = "";
    {
      await using forwarded = await pods().portForward("a", 80);
      url = `http://127.0.0.1:${forwarded.port}/`;
      expect(await (await fetch(url)).text()).toBe("hello");
    }
    await expect(fetch(url)).rejects.toThrow();
  });

  test("files and folders are copied to a container and from one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orch-kit-cp-"));
    try {
      mkdirSync(join(folder, "site/img"), { recursive: true });
      writeFileSync(join(folder, "site/index"), "hello");
      writeFileSync(join(folder, "site/img/large"), Buffer.alloc(200_000, "z"));
      expect(await pods().cp(join(folder, "site"), { pod: "default/a", path: "/tmp" })).toEqual({ skipped: [] });
      const shown = await pods().exec("a", ["cat", "/tmp/site/index"]);
      expect((await shown.output()).stdout).toBe("hello");
      await pods().cp({ pod: "a", path: "/tmp/site" }, join(folder, "back"), { container: "main" });
      expect(readFileSync(join(folder, "back/index"), "utf8")).toBe("hello");
      expect(statSync(join(folder, "back/img/large")).size).toBe(200_000);
      await pods().cp({ pod: { name: "a" }, path: "/tmp/site/index" }, join(folder, "one"));
      expect(readFileSync(join(folder, "one"), "utf8")).toBe("hello");
      await expect(pods().cp({ pod: "a", path: "/tmp/none" }, join(folder, "x"))).rejects.toThrow(
        /^cp: tar ended with [12] for \/tmp\/none in the container: .*none/,
      );
      await expect(pods().cp(join(folder, "none"), { pod: "a", path: "/tmp" })).rejects.toThrow("ENOENT");
      await expect(
        pods().cp(join(folder, "site"), { pod: "a", path: "/tmp" }, { signal: AbortSignal.abort(new Error("never")) }),
      ).rejects.toThrow("never");
      // @ts-expect-error one of the two is on this machine
      await expect(pods().cp("a", "b")).rejects.toThrow("cp: one of source and destination must be a path");
      const misspelled = { pod: "a", paths: "/tmp" };
      // @ts-expect-error paths
      await expect(pods().cp("a", misspelled)).rejects.toThrow('cp has no option "paths"; did you mean "path"?');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the rights are those of the user whom the client acts as", async () => {
    using eve = await connect({ server, as: "eve", vocabulary });
    const calls = [() => eve.of(Pod).exec("a", ["uptime"]), () => eve.of(Pod).portForward("a", 80)];
    for (const call of calls) expect(isForbidden(await call().catch((error: unknown) => error))).toBe(true);
    const missing = await pods()
      .exec("none", ["uptime"])
      .catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(StatusError);
  });
});
