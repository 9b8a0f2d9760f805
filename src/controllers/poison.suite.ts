/** A fetch that adds broken objects to every list, so that a test can see whether they harm the others. */

import type { Fetch, FetchResponse } from "../client/contract.ts";
import { isObject } from "../machinery/json/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";

export interface PoisonOptions {
  /** From 0 up to 1; a seeded one repeats a run. */
  readonly random: () => number;
  /** A valid object of each kind, by the name of its list: "PodList". */
  readonly samples: ReadonlyMap<string, ApiObject>;
  readonly namespace: string;
  /** Broken objects in each list. */
  readonly count: number;
}

/** Objects that the server does not have. What controllers create for them is refused. */
export function withPoison(fetch: Fetch, options: PoisonOptions): Fetch {
  const { random, samples } = options;
  let version = 0;
  const poisoned = (sample: ApiObject): ApiObject => {
    const name = `bad-${Math.floor(random() * options.count)}`;
    const object = structuredClone(sample);
    const isNamespaced = sample.metadata.namespace !== undefined;
    for (let times = 1 + Math.floor(random() * 5); times > 0; times--) breakOne(object, random);
    const { deletionTimestamp, ownerReferences, ...rest } = object.metadata;
    const metadata = {
      ...rest,
      // Much code ignores an object that is being deleted, or belongs to another owner.
      ...(deletionTimestamp && random() < 0.2 ? { deletionTimestamp } : {}),
      ...(ownerReferences && random() < 0.5 ? { ownerReferences } : {}),
      // What a server always gives; the rest is as broken as anything else.
      name,
      uid: `bad-${name}`,
      resourceVersion: `bad-${++version}`,
      ...(isNamespaced ? { namespace: options.namespace } : {}),
    };
    return { ...object, metadata };
  };
  return async (path, init) => {
    if (path.includes("watch=true")) return expiring(await fetch(path, init), random);
    if (typeof init?.body === "string" && init.body.includes('"uid":"bad-')) return refused();
    const response = await fetch(path, init);
    if (init?.method !== "GET" || !response.ok) return response;
    const body: unknown = await response.json();
    const sample = isObject(body) ? samples.get(String(body["kind"])) : undefined;
    if (!isObject(body) || sample === undefined || !Array.isArray(body["items"])) return Response.json(body);
    const bad = Array.from({ length: options.count }, () => poisoned(sample));
    return Response.json({ ...body, items: [...bad, ...body["items"]] });
  };
}

function refused(): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" };
  return Response.json(status, { status: 403 });
}

/** After a few events the watch has expired, and a list with other broken objects follows. */
function expiring(response: FetchResponse, random: () => number): FetchResponse {
  if (response.body === null) return response;
  let left = 1 + Math.floor(random() * 10);
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410, message: "old" };
  const ending = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (--left > 0) return;
      controller.enqueue(new TextEncoder().encode(`${JSON.stringify({ type: "ERROR", object: status })}\n`));
      controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(ending), { status: response.status });
}

const odd: readonly unknown[] = [
  null,
  "",
  0,
  -1,
  2_147_483_647,
  -2_147_483_648,
  1.5,
  true,
  [],
  {},
  [null],
  [{}],
  "100%",
  "-5%",
  "TZ=",
  "TZ=UTC * * * * *",
  "@every 1ns",
  "*/0 * * * *",
  "2021-13-41T99:99:99Z",
  "9".repeat(400),
  "..",
  "a/b/c",
  "\u0000",
  { __proto__: null, constructor: "x" },
  { matchExpressions: [{ key: "a", operator: "Nothing" }] },
];

/** Somewhere inside, a value is replaced, removed or repeated. */
function breakOne(object: object, random: () => number): void {
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
  let at: object = object;
  for (;;) {
    const keys = Object.keys(at).filter((key) => at !== object || !["kind", "apiVersion"].includes(key));
    const key = pick(keys);
    if (key === undefined) return;
    const inner: unknown = Reflect.get(at, key);
    const goesOn = typeof inner === "object" && inner !== null && Object.keys(inner).length > 0;
    // The metadata itself stays: no server sends an object without.
    if (goesOn && (random() < 0.8 || (at === object && key === "metadata"))) {
      at = inner;
      continue;
    }
    const chance = random();
    if (chance < 0.2) Reflect.deleteProperty(at, key);
    else if (chance < 0.3 && Array.isArray(inner)) Reflect.set(at, key, [...inner, ...inner]);
    else Reflect.set(at, key, structuredClone(pick(odd)));
    return;
  }
}
