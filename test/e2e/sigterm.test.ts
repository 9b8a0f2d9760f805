/** F12: a server that is told to stop under load breaks no request that was under way, and loses nothing that it acknowledged. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call } from "../cluster/call.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";

const stops = process.env["LONG_TESTS"] === undefined ? 1 : 50;
const clients = 8;
const path = "/api/v1/namespaces/default/configmaps";

let folder = "";
let running: OwnServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-sigterm-"));
  const rules = [{ level: "Metadata" }];
  writeFileSync(join(folder, "policy.json"), JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules }));
});
afterEach(() => {
  running?.child.kill("SIGKILL");
  running?.agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

/** A create that was answered, with the mark by which its audit event is found. */
interface Answered {
  readonly name: string;
  readonly mark: string;
}

/** What clients and the test know of the stop. */
interface Stop {
  signalled: boolean;
  answers: number;
}

async function load(server: OwnServer, named: string, stop: Stop): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (let step = 0; ; step += 1) {
    const [name, mark] = [`${named}-${step}`, `fieldManager=${named}-${step}`];
    const isBefore = !stop.signalled;
    const body = { metadata: { name } };
    const outcome = await call(server, "POST", `${path}?${mark}`, { body });
    if (outcome.kind === "answer" && outcome.status === 201) {
      answered.push({ name, mark });
      stop.answers += 1;
      continue;
    }
    // What begins after the signal may find a closed door, at the latest when the shutdown delay is over.
    if (isBefore) throw new Error(`a request that was under way was broken: ${JSON.stringify(outcome)}`);
    return answered;
  }
}

/** Resolves with the first status of /readyz that is not 200; 0: the server was gone before it said so. */
async function firstNotReady(server: OwnServer): Promise<number> {
  for (;;) {
    const outcome = await call({ port: server.port, agent: server.agent }, "GET", "/readyz");
    if (outcome.kind === "lost") return 0;
    if (outcome.status !== 200) return outcome.status;
  }
}

test(`SIGTERM under load breaks no request, readyz fails before the end, and every answer is in the audit log (F12 in docs/security-rows.md)`, async () => {
  const log = join(folder, "audit.log");
  const flags = [
    `--data-dir=${join(folder, "data")}`,
    "--shutdown-delay-duration=3s", // a client on a busy machine must find the server unready before it has gone
    ...[`--audit-policy-file=${join(folder, "policy.json")}`, `--audit-log-path=${log}`],
  ];
  const all: Answered[] = [];
  for (let round = 0; round < stops; round += 1) {
    const server = await startOwnServer(folder, flags);
    running = server;
    const found = await call(server, "GET", path);
    const names = found.kind === "answer" ? (found.body.items ?? []).map(({ metadata }) => metadata?.name) : [];
    expect(all.filter(({ name }) => !names.includes(name))).toEqual([]);
    const stop: Stop = { signalled: false, answers: 0 };
    const working = Promise.all(
      Array.from({ length: clients }, (_, client) => load(server, `${round}-${client}`, stop)),
    );
    const isLoaded = expect.poll(() => stop.answers).toBeGreaterThan((2 + (round % 20)) * clients);
    await Promise.race([working, isLoaded]);
    server.child.kill("SIGTERM");
    stop.signalled = true;
    const notReady = firstNotReady(server);
    all.push(...(await working).flat());
    expect([await notReady, await server.exited], server.output().slice(-2_000)).toEqual([500, 0]);
    server.agent.destroy();
  }
  expect(all.length).toBeGreaterThan(stops * clients);
  const audited = new Set<string>();
  for (const line of readFileSync(log, "utf8").trimEnd().split("\n")) {
    const { requestURI, stage } = JSON.parse(line) as { requestURI: string; stage: string };
    if (stage === "ResponseComplete") audited.add(requestURI.slice(requestURI.indexOf("?") + 1));
  }
  expect(all.filter(({ mark }) => !audited.has(mark))).toEqual([]);
}, 900_000);
