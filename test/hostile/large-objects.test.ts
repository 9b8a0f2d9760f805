/**
 * Objects that a user may write, with one list, map or text as large as it may be: nothing that is done about one of them, by a request, a
 * controller, the scheduler or the simulated nodes, keeps the event loop for long.
 *
 * `LONG_TESTS=1` tries every place of every kind, which takes half an hour; a run of all tests tries a few of each level.
 */

import { describe, expect, test } from "vitest";
import type { BoundKind } from "../../src/machinery/schema/catalog.ts";
import { goldenLevels, type Level } from "../../src/machinery/schema/levels.ts";
import { allKinds, testEnvironment } from "../../src/testing/all-kinds.ts";
import { type Growth, growthsOf } from "./large-objects.ts";
import { smallObjects } from "./small-objects.ts";
import { checkTurns, createChance, type RequestOptions, type Target, useTarget } from "./target.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const casesOfLevel = 8;
const bytesMax = 1_000_000;
const entriesMax = 60_000;
const limit = 3_600_000;

interface Case {
  readonly kind: BoundKind;
  readonly object: object;
  readonly growth: Growth;
}

function casesOf(level: Level): readonly Case[] {
  const kinds = new Map(allKinds(testEnvironment({ level })).map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));
  return Object.entries(smallObjects).flatMap(([name, object]) => {
    const kind = kinds.get(name);
    return kind === undefined ? [] : growthsOf(kind.schema, object).map((growth) => ({ kind, object, growth }));
  });
}

/** All of them, or some that a seed chooses. */
function chosen(cases: readonly Case[]): readonly Case[] {
  if (isLong) return cases;
  const seed = Number(process.env["PROPERTY_SEED"] ?? (process.env["CI"] === "true" ? 1 : Date.now() % 100_000));
  const below = createChance(seed);
  return Array.from({ length: casesOfLevel }, () => cases[below(cases.length)]!);
}

const pathOf = ({ group, version, namespaced, resource }: BoundKind): string =>
  `${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}${namespaced ? "/namespaces/default" : ""}/${resource}`;

for (const level of goldenLevels) {
  describe(`at level ${level}`, () => {
    const target = useTarget({
      command: "up",
      explainsTurns: true,
      flags: () => ["--nodes=2", `--emulated-version=${level}`],
    });
    for (const [at, { kind, object, growth }] of chosen(casesOf(level)).entries()) {
      test(`${kind.apiVersion} ${kind.kind} with a large ${growth.path}`, { timeout: limit }, async () => {
        const cost = await target.cost(async () => {
          const created = await createLarge(target, kind, object, growth, `x${at}`);
          if (created) await useLarge(target, `${pathOf(kind)}/x${at}`);
          return created;
        });
        checkTurns(cost);
        expect(cost.result, "a small one is accepted").toBe(true);
      });
    }
  });
}

/** As large as it is accepted. */
async function createLarge(
  target: Target,
  kind: BoundKind,
  object: object,
  growth: Growth,
  name: string,
): Promise<boolean> {
  for (let count = entriesMax; ; count = Math.floor(count / 8)) {
    const grown = count === 0 ? object : growth.grow(object, count, bytesMax);
    const body = { ...grown, apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, labels: { app: "a" } } };
    const { status } = await target.post(pathOf(kind), body);
    if (status === 201 || count === 0) return status === 201;
    expect([413, 422, 400, 403]).toContain(status);
  }
}

/** Everything that is done with an object once it exists; controllers, scheduler and nodes see each change. */
async function useLarge(target: Target, path: string): Promise<void> {
  const send = async (at: string, options: RequestOptions) =>
    expect((await target.request(at, options)).status).toBe(200);
  const merge = "application/merge-patch+json";
  await send(path, { method: "PATCH", type: merge, body: { metadata: { labels: { changed: "yes" } } } });
  const { metadata, ...rest } = (await target.request(path)).body;
  const changed = { ...rest, metadata: { ...metadata, annotations: { updated: "yes" } } };
  // A controller may have been faster.
  expect([200, 409]).toContain((await target.request(path, { method: "PUT", body: changed })).status);
  await send(path, { headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io" } });
  await send(path, { headers: { accept: "application/yaml" } });
  const deleted = await target.request(`${path}?gracePeriodSeconds=0`, { method: "DELETE" });
  expect(deleted.status).toBeLessThan(300);
}
