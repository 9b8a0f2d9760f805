/**
 * Streams of pods by the thousand, opened by one user of one namespace: `exec`, `attach` and `portforward`.
 * `LONG_TESTS=1` runs it, in about two minutes; what it is about is tested for a few in `test/server/proxy.test.ts`.
 */

import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { proxiedPerUserMax } from "../../src/extensions/proxy/proxy.ts";
import { adminToken, aliceToken, pause, useTarget } from "./target.ts";

describe.skipIf(process.env["LONG_TESTS"] === undefined)("5,000 streams of one user", () => {
  const target = useTarget({ command: "up", flags: () => ["--nodes=2", "--emulated-version=1.35"] });
  const pods = 20;
  const paths = [
    "exec?command=cat&stdin=true&stdout=true",
    `exec?command=sh&command=-c&command=${encodeURIComponent("while true; do echo yes; done")}&stdout=true`,
    "attach?stdin=true&stdout=true",
    "portforward?ports=80",
  ];
  const opened: TLSSocket[] = [];

  /** The status of the answer. The connection stays open, and nobody reads from it. */
  async function open(at: number, token: string): Promise<number> {
    const socket = await target.connect();
    opened.push(socket);
    const path = `/api/v1/namespaces/default/pods/p${at % pods}/${paths[at % paths.length]}`;
    const lines = [
      `GET ${path} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${token}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: v4.channel.k8s.io",
    ];
    const answered = new Promise<number>((done) => {
      socket.once("data", (data) => {
        socket.pause();
        done(Number(data.toString("latin1", 9, 12)));
      });
      socket.once("close", () => done(0));
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const status = await answered;
    if (status !== 101) socket.destroy();
    return status;
  }

  test("N35 one tenant: others have their own, no turn is long, and the memory comes back", {
    timeout: 900_000,
  }, async () => {
    for (let at = 0; at < pods; at++)
      await target.post("/api/v1/namespaces/default/pods", {
        metadata: { name: `p${at}` },
        spec: { containers: [{ name: "c", image: "i", command: ["sleep", "infinity"] }] },
      });
    const role = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "admin" };
    await target.post("/apis/rbac.authorization.orch.io/v1/namespaces/default/rolebindings", {
      metadata: { name: "alice" },
      roleRef: role,
      subjects: [{ apiGroup: role.apiGroup, kind: "User", name: "alice" }],
    });
    for (let at = 0; at < pods; at++) {
      const phase = async () => (await target.request(`/api/v1/namespaces/default/pods/p${at}`)).body?.status?.phase;
      await expect.poll(phase, { timeout: 30_000 }).toBe("Running");
    }
    const before = await target.usedBytes();
    const statuses = new Map<number, number>();
    const opening = await target.cost(async () => {
      for (let at = 0; at < 5_000; at += 50)
        await Promise.all(
          Array.from({ length: 50 }, async (_, n) => {
            const status = await open(at + n, aliceToken);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }),
        );
    });
    expect(statuses).toEqual(
      new Map([
        [101, proxiedPerUserMax],
        [429, 5_000 - proxiedPerUserMax],
      ]),
    );
    expect(await open(0, adminToken)).toBe(101);
    const leaving = await target.cost(async () => {
      for (const socket of opened) socket.destroy();
      await pause(5_000);
    });
    expect([opening.longestTurnMs, leaving.longestTurnMs].map((ms) => ms < 500)).toEqual([true, true]);
    await expect.poll(async () => (await target.usedBytes()) - before, { timeout: 60_000 }).toBeLessThan(10_000_000);
  });
});
