/** Requests for encrypted Secrets, beside the same without encryption: values are decrypted once, so only writes may cost more. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import { startOrch, type Target } from "../target.ts";
import { openAudience } from "./watch.ts";

const providers = ["identity", "aescbc", "aesgcm", "secretbox"] as const;
/** Reads, lists and watches must cost the same; what is left is noise. */
const leastRatio = 0.9;
const namespaces = "/api/v1/namespaces";
const path = `${namespaces}/default/secrets`;
const listed = 200;
const secretBytes = 2_000;
const watchers = 100;
/** About 75 kB, well within what a watcher may be behind. */
const changes = 25;

interface Side {
  readonly provider: (typeof providers)[number];
  readonly target: Target;
  created: number;
}

interface Sample {
  readonly rate: number;
  readonly cost: number;
}

export async function measureEncryption(quick: boolean): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-encryption-"));
  const sides: Side[] = [];
  try {
    for (const provider of providers) {
      const flags = [`--encryption-provider-config=${writeConfiguration(folder, provider)}`];
      const target = await startOrch("memory", "AlwaysAllow", undefined, { limits: flags });
      sides.push({ provider, target, created: 0 });
    }
    for (const side of sides) await create(side, path, { operations: listed });
    const rows: Row[] = [];
    for (const [what, measure, hasBudget] of [
      ["get a Secret of 2 kB", get, true],
      [`list ${listed} of them`, list, true],
      [`watch, one change to ${watchers} watchers`, watch, true],
      ["create of one", (side: Side) => create(side, path, { seconds: 1 }), false],
    ] as const) {
      rows.push(...(await compare(sides, { what, measure, hasBudget, rounds: quick ? 3 : 9 })));
    }
    return rows;
  } finally {
    for (const { target } of sides) await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeConfiguration(folder: string, provider: string): string {
  const file = join(folder, `${provider}.json`);
  const key = { name: "key", secret: Buffer.alloc(32, provider).toString("base64") };
  const configuration = {
    apiVersion: "apiserver.config.orch.io/v1",
    kind: "EncryptionConfiguration",
    resources: [
      { resources: ["secrets"], providers: [{ [provider]: provider === "identity" ? {} : { keys: [key] } }] },
    ],
  };
  writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
  return file;
}

interface Comparison {
  readonly what: string;
  readonly hasBudget: boolean;
  readonly rounds: number;
  measure(side: Side): Promise<Sample>;
}

/** All servers in turns, so that what else the machine does falls on each of them. */
async function compare(sides: readonly Side[], { what, hasBudget, rounds, measure }: Comparison): Promise<Row[]> {
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [side, taken] of samples) taken.push(await measure(side));
  }
  const [[, plain] = [undefined, []], ...encrypted] = samples;
  const shown = (taken: readonly Sample[]) =>
    withCpu(perSecond(median(taken.map(({ rate }) => rate))), median(taken.map(({ cost }) => cost)));
  return encrypted.map(([{ provider }, taken]) => {
    const ratio = median(taken.map(({ cost }, at) => (plain[at]?.cost ?? Number.NaN) / cost));
    return {
      what: `${what}, ${provider}`,
      measured: shown(taken),
      beside: shown(plain),
      ratio,
      budget: hasBudget ? `>= ${leastRatio} of the same without` : "",
      ...(hasBudget ? { met: ratio >= leastRatio } : {}),
    };
  });
}

function get({ target }: Side): Promise<Sample> {
  const request = prepareRequest("GET", `${path}/s-0`, target.headers);
  return sample(target, { connections: 32, seconds: 1, statuses: [200], request: () => request });
}

function list({ target }: Side): Promise<Sample> {
  const request = prepareRequest("GET", `${path}?limit=${listed}`, target.headers);
  return sample(target, { connections: 4, seconds: 1, statuses: [200], request: () => request });
}

type Until = { readonly operations: number } | { readonly seconds: number };

function create(side: Side, collection: string, until: Until): Promise<Sample> {
  const { target } = side;
  const data = { text: Buffer.alloc(secretBytes, "x").toString("base64") };
  const request = () => {
    const body = JSON.stringify({ metadata: { name: `s-${side.created++}` }, data });
    return prepareRequest("POST", collection, target.headers, body);
  };
  return sample(target, { connections: 16, seconds: 60, ...until, statuses: [201], request });
}

/** The cost of a change with its deliveries, the encryption of the change included; in a namespace without anything else. */
async function watch(side: Side): Promise<Sample> {
  const { target } = side;
  const name = `watch-${side.created}`;
  const namespace = prepareRequest("POST", namespaces, target.headers, JSON.stringify({ metadata: { name } }));
  await sample(target, { connections: 1, seconds: 60, operations: 1, statuses: [201], request: () => namespace });
  const collection = `${namespaces}/${name}/secrets`;
  const audience = await openAudience(target, collection, watchers);
  try {
    const start = performance.now();
    const before = target.cpuSeconds() ?? 0;
    await create(side, collection, { operations: changes });
    await audience.heard(changes * watchers);
    const seconds = (performance.now() - start) / 1_000;
    return { rate: changes / seconds, cost: (((target.cpuSeconds() ?? 0) - before) / changes) * 1e6 };
  } finally {
    audience.close();
  }
}

async function sample(target: Target, options: Parameters<typeof load>[1]): Promise<Sample> {
  const done = await load(target, options);
  return { rate: done.perSecond, cost: done.cpuMicros ?? 1e6 / done.perSecond };
}
