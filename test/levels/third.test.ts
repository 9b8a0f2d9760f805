/** A release that does not exist: what it adds is declared here, and nothing of the sources knows of it. */

import { expect, test } from "vitest";
import { catalog as kinds } from "../../src/api/catalog.ts";
import { gateHistories } from "../../src/api/gates/histories.ts";
import { alpha, betaOn } from "../../src/api/gates/stages.ts";
import { rule } from "../../src/authz/bootstrap/declare.ts";
import { declaredRoles } from "../../src/authz/bootstrap/objects.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { type Release, since } from "../../src/base/release.ts";
import { createMemoryFetch } from "../../src/http/transport/memory-exchange.ts";
import type { Kv } from "../../src/kv/contract.ts";
import { createMemoryKv } from "../../src/kv/memory/memory.ts";
import { elided, string } from "../../src/machinery/schema/build.ts";
import { bindFeatures, features } from "../../src/machinery/schema/features.ts";
import { type Kind, kind, version } from "../../src/machinery/schema/kind.ts";
import { newestLevel } from "../../src/machinery/schema/levels.ts";
import { createAccess } from "../../src/main/access/access.ts";
import { openServer, type Server } from "../../src/main/server.ts";
import { vocabularyOf } from "../../src/vocabulary/by-name.ts";

const next: Release = "1.99";

/** One kind whose next version has another field, behind a gate, a column, and a successor. */
const Toy = kind({
  group: "batch",
  version: "v1beta1",
  kind: "Toy",
  resource: "toys",
  scope: "Namespaced",
  doc: "Something to play with.",
  deprecated: { since: newestLevel, removed: next },
  fields: {
    color: elided(string()).at(2).doc("Its color."),
    shape: elided(string()).at(3).since(next).doc("Its shape."),
    sound: elided(string()).at(4).since(next).behind("IndexedJob").doc("What it says."),
  },
  columns: (column) => [
    column("Color", ({ color }) => color ?? ""),
    column("Shape", ({ shape }) => shape ?? "", { since: next }),
  ],
});
const ToyV1 = version(Toy, { version: "v1", since: next });

const everyKind: readonly unknown[] = [...kinds, Toy, ToyV1];
const declared = {
  kinds: everyKind as readonly Kind[], // every kind is a Kind of its own object type
  gates: { ...gateHistories, IndexedJob: { "1.21": betaOn, [next]: alpha } },
};
const roles = declaredRoles.map((role) =>
  role.name === "system:node" ? { ...role, rules: [...role.rules, since(next, rule("get", "batch", "toys"))] } : role,
);

async function open(kv: Kv, level: Release) {
  const server = await openServer({
    clock: systemClock,
    log: silentLog,
    api: {
      vocabulary: vocabularyOf("orch"),
      level,
      declared,
      gates: new Map(),
      isServed: () => true,
      allowPrivileged: true,
    },
    store: { kv, timeoutMs: 2_000, historyMs: 300_000 },
    access: {
      open: (parts) => ({
        ...createAccess(
          {
            authentication: { bootstrapTokens: false, audiences: [] },
            authorization: { modes: ["AlwaysAllow"], subjectNames: "exact", policies: [] },
          },
          parts,
        ),
        roles: { narrowEdit: false, declared: roles },
      }),
      anonymous: true,
    },
    admission: { enable: [], disable: [], notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300 },
    requests: { limits: {}, livezGraceMs: 0 },
    network: {},
  });
  return { server, send: sender(server) };
}

function sender({ handler }: Server) {
  const fetch = createMemoryFetch(handler);
  return async (path: string, init: RequestInit = {}): Promise<[code: number, body: Answer]> => {
    const headers = { "content-type": "application/json", ...(init.headers as Record<string, string>) };
    const response = await fetch(path, { ...init, headers });
    return [response.status, (await response.json()) as Answer];
  };
}

/** The members that this test looks at. */
interface Answer {
  readonly [member: string]: unknown;
  readonly columnDefinitions?: readonly { readonly name: string }[];
  readonly rules?: readonly { readonly resources?: readonly string[] }[];
}

const toys = (group: string) => `/apis/${group}/namespaces/default/toys`;
const toy = (apiVersion: string, more: object) => ({
  method: "POST",
  body: JSON.stringify({ apiVersion, kind: "Toy", ...more }),
});
const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io" } };
const columns = ({ columnDefinitions = [] }: Answer) => columnDefinitions.map(({ name }) => name);
const nodeRole = "/apis/rbac.authorization.orch.io/v1/clusterroles/system:node";
const mayGetToys = ({ rules = [] }: Answer) => rules.some(({ resources = [] }) => resources.includes("toys"));

/** The bytes stay when a server closes its store. */
const kept = (kv: Kv): Kv =>
  new Proxy(kv, { get: (target, name) => (name === "close" ? async () => {} : bound(target, name)) });
function bound(target: Kv, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}

test("a made-up next release is served, and a store of the newest level is converted to it", async () => {
  const kv = createMemoryKv();
  const before = await open(kept(kv), newestLevel);
  const [made, red] = await before.send(
    toys("batch/v1beta1"),
    toy("batch/v1beta1", { metadata: { name: "a" }, color: "red", shape: "round", sound: "beep" }),
  );
  expect([made, red["color"], red["shape"], red["sound"]]).toEqual([201, "red", undefined, undefined]);
  expect((await before.send(toys("batch/v1")))[0]).toBe(404);
  expect(columns((await before.send(toys("batch/v1beta1"), asTable))[1])).toEqual(["Color"]);
  expect(mayGetToys((await before.send(nodeRole))[1])).toBe(false);
  await before.server.close();

  const after = await open(kept(kv), next);
  const [found, kept1] = await after.send(`${toys("batch/v1")}/a`);
  expect([found, kept1["apiVersion"], kept1["color"]]).toEqual([200, "batch/v1", "red"]);
  expect((await after.send(toys("batch/v1beta1")))[0]).toBe(404);
  const given = { metadata: { name: "b" }, color: "blue", shape: "round", sound: "beep" };
  const [created, blue] = await after.send(toys("batch/v1"), toy("batch/v1", given));
  expect([created, blue["shape"], blue["sound"]]).toEqual([201, "round", undefined]); // the gate is off by then
  expect(columns((await after.send(toys("batch/v1"), asTable))[1])).toEqual(["Color", "Shape"]);
  expect(mayGetToys((await after.send(nodeRole))[1])).toBe(true);
  expect((await after.send("/version"))[1]).toMatchObject({ major: "1", minor: "99" });
  await after.server.close();

  await expect(open(kept(kv), newestLevel)).rejects.toThrow(`start with --emulated-version=${next}`);
});

test("features of a made-up release are there, beside all that the engine has", () => {
  const rows = { ...features, talkingToys: { since: next } } as const;
  expect(bindFeatures(next, rows)).toMatchObject({ talkingToys: true, indicators: true, namedPaths: false });
  expect(bindFeatures(newestLevel, rows)).toMatchObject({ talkingToys: false, indicators: true });
});
