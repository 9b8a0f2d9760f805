/** Custom resources beside built-in kinds of the same size, and a server with a thousand definitions beside an empty one. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { median, megabytes, perSecond, type Row } from "../report.ts";
import { startOrch, type Target } from "../target.ts";
import { openAudience } from "./watch.ts";

const connections = 32;
const watchers = 100;
/** A custom kind may take so many times as much as a built-in one. */
const customFactorMax = 1.3;
const definitionsPath = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const definitionBytesMax = 60_000;
const publishMsMax = 50;

const widgets = "/apis/bench.example.com/v1/namespaces/default/widgets";
const leases = "/apis/coordination.orch.io/v1/namespaces/default/leases";
const spec = {
  holderIdentity: "node-0123456789",
  leaseDurationSeconds: 15,
  acquireTime: "2021-01-01T00:00:00.000000Z",
  renewTime: "2021-01-01T00:00:00.000000Z",
  leaseTransitions: 3,
};
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        holderIdentity: { type: "string", maxLength: 253 },
        leaseDurationSeconds: { type: "integer", minimum: 0 },
        acquireTime: { type: "string", format: "date-time" },
        renewTime: { type: "string", format: "date-time" },
        leaseTransitions: { type: "integer", default: 0 },
      },
    },
  },
};

const definition = (plural: string, kind: string) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.bench.example.com` },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const post = (target: Target, path: string, body: object) =>
  prepareRequest("POST", path, target.headers, JSON.stringify(body));

export async function measureCustom(quick: boolean): Promise<Row[]> {
  return [...(await besideBuiltin(quick)), ...(await manyDefinitions(quick ? 200 : 1_000))];
}

async function besideBuiltin(quick: boolean): Promise<Row[]> {
  const target = await startOrch("memory");
  try {
    await fetchOnce(target, post(target, definitionsPath, definition("widgets", "Widget")));
    const rounds = quick ? 3 : 9;
    const operations = quick ? 500 : 2_000;
    const custom = { path: widgets, apiVersion: "bench.example.com/v1", kind: "Widget" };
    const builtin = { path: leases, apiVersion: "coordination.orch.io/v1", kind: "Lease" };
    const create = (side: typeof custom, round: number) => (index: number) =>
      post(target, side.path, {
        apiVersion: side.apiVersion,
        kind: side.kind,
        metadata: { name: `o-${round}-${index}` },
        spec,
      });
    const read = (side: typeof custom) => () => prepareRequest("GET", `${side.path}/o-0-0`, target.headers);
    const list = (side: typeof custom) => () => prepareRequest("GET", `${side.path}?limit=500`, target.headers);
    const row = async (
      what: string,
      make: (side: typeof custom, round: number) => (index: number) => Buffer,
      many: number,
    ) => {
      const ratios: number[] = [];
      const rates: { custom: number; builtin: number }[] = [];
      // In turns: what else the machine does falls on both.
      for (let round = 0; round < rounds; round++) {
        const options = { connections, seconds: 60, operations: many, statuses: [200, 201] };
        const measure = (side: typeof custom) => load(target, { ...options, request: make(side, round) });
        // And in both orders: what comes first pays for what is compiled on the way.
        const first = await measure(round % 2 === 0 ? custom : builtin);
        const second = await measure(round % 2 === 0 ? builtin : custom);
        const [one, other] = round % 2 === 0 ? [first, second] : [second, first];
        const cost = (result: typeof one) => result.cpuMicros ?? 1e6 / result.perSecond;
        ratios.push(cost(one) / cost(other));
        rates.push({ custom: one.perSecond, builtin: other.perSecond });
      }
      const ratio = median(ratios);
      return {
        what,
        measured: perSecond(median(rates.map(({ custom: rate }) => rate))),
        beside: perSecond(median(rates.map(({ builtin: rate }) => rate))),
        ratio,
        budget: `<= ${customFactorMax} x a built-in kind`,
        met: ratio <= customFactorMax,
      };
    };
    const deliver = async (side: typeof custom, round: number): Promise<number> => {
      const audience = await openAudience(target, side.path, watchers);
      await audience.heard(1); // what is there already comes first
      await settle(500);
      const before = audience.count();
      const cpu = target.cpuSeconds() ?? Number.NaN;
      const changes = quick ? 50 : 100;
      const options = { connections: 4, seconds: 60, operations: changes, statuses: [201] };
      await load(target, { ...options, request: create(side, 1_000 + round) });
      await audience.heard(before + changes * watchers);
      const used = (target.cpuSeconds() ?? Number.NaN) - cpu;
      audience.close();
      return (used / (changes * watchers)) * 1e6;
    };
    const watchRow = async (): Promise<Row> => {
      const costs: { custom: number; builtin: number }[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        costs.push({ custom: await deliver(custom, round), builtin: await deliver(builtin, round) });
      }
      const ratio = median(costs.map((cost) => cost.custom / cost.builtin));
      const micros = (value: number) => `${value.toFixed(1)} µs each`;
      return {
        what: `events of custom objects to ${watchers} watchers`,
        measured: micros(median(costs.map((cost) => cost.custom))),
        beside: micros(median(costs.map((cost) => cost.builtin))),
        ratio,
        budget: `<= ${customFactorMax} x a built-in kind`,
        met: ratio <= customFactorMax,
      };
    };
    return [
      await row("create of a custom object", create, operations),
      await row("get of a custom object", read, operations * 4),
      await row("list of 500 custom objects", list, quick ? 50 : 200),
      await watchRow(),
    ];
  } finally {
    await target.close();
  }
}

async function manyDefinitions(count: number): Promise<Row[]> {
  const empty = await startOrch("embedded");
  const emptyMs = empty.startMs;
  await settle();
  const before = empty.memory()?.anonymousBytes ?? Number.NaN;
  await empty.close();
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-definitions-"));
  let target = await startOrch("embedded", "RBAC", folder);
  try {
    await load(target, {
      connections: 4,
      seconds: 600,
      operations: count,
      statuses: [201],
      request: (index) => post(target, definitionsPath, definition(`kind${index}s`, `Kind${index}`)),
    });
    await settle();
    const published: number[] = [];
    for (let round = 0; round < 5; round++) {
      const began = performance.now();
      await fetchOnce(target, post(target, definitionsPath, definition(`more${round}s`, `More${round}`)));
      await fetchOnce(target, prepareRequest("GET", "/apis/bench.example.com/v1", target.headers));
      published.push(performance.now() - began);
    }
    await target.close();
    target = await startOrch("embedded", "RBAC", folder);
    const restartMs = target.startMs;
    // After a restart none of them is in use, and the memory of creating them is gone with the previous process.
    await settle();
    const each = ((target.memory()?.anonymousBytes ?? Number.NaN) - before) / count;
    const startAllowedMs = 3 * emptyMs + count;
    const publishMs = median(published);
    return [
      {
        what: `start with ${count} definitions`,
        measured: `${restartMs.toFixed(0)} ms`,
        beside: `${emptyMs.toFixed(0)} ms empty`,
        budget: `<= 3 x empty + 1 ms each = ${startAllowedMs.toFixed(0)} ms`,
        met: restartMs <= startAllowedMs,
      },
      {
        what: `memory of ${count} unused definitions`,
        measured: `${(each / 1_000).toFixed(0)} KB each`,
        beside: megabytes(before),
        budget: `<= ${definitionBytesMax / 1_000} KB each`,
        met: each <= definitionBytesMax,
      },
      {
        what: `one more definition beside ${count}, until discovery shows it`,
        measured: `${publishMs.toFixed(0)} ms`,
        beside: "",
        budget: `<= ${publishMsMax} ms`,
        met: publishMs <= publishMsMax,
      },
    ];
  } finally {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives the garbage collector, and background work of the server, time to end. */
const settle = (ms = 3_000) => new Promise((done) => setTimeout(done, ms));
