/** The requests with which the controller manager and the scheduler of v1.35 fill their informers: every resource, in protobuf. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const accept = `${protobuf},application/json`;
/** What every object in protobuf begins with. */
const magic = Buffer.from("6b387300", "hex");

let server: Awaited<ReturnType<typeof createServer>>;
beforeAll(async () => {
  server = await createServer({ emulatedVersion: "1.35", vocabulary: "kubernetes", controllers: false });
});
afterAll(() => server.close());

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Paths of all resources with these verbs, over all namespaces. */
async function pathsWith(...verbs: readonly string[]): Promise<string[]> {
  const read = async <T>(path: string): Promise<T> => (await server.fetch(path)).json() as Promise<T>;
  const { groups } = await read<{ groups: { versions: { groupVersion: string }[] }[] }>("/apis");
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  const lists = await Promise.all(
    ["/api/v1", ...versions].map(async (base) => ({ base, ...(await read<ResourceList>(base)) })),
  );
  return lists.flatMap(({ base, resources }) =>
    resources.filter((one) => verbs.every((verb) => one.verbs.includes(verb))).map(({ name }) => `${base}/${name}`),
  );
}

/** The first bytes of a watch up to the bookmark that ends the initial events. */
async function initialEvents(path: string): Promise<string> {
  const abort = new AbortController();
  const query = "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true";
  const answer = await server.fetch(`${path}?${query}`, { headers: { accept }, signal: abort.signal });
  if (answer.status !== 200) return `${path} ${answer.status}`;
  if (answer.headers.get("content-type") !== `${protobuf};stream=watch`) return `${path} is not protobuf`;
  let seen = Buffer.alloc(0);
  for await (const chunk of answer.body ?? []) {
    seen = Buffer.concat([seen, chunk]);
    if (seen.includes("k8s.io/initial-events-end")) break;
  }
  abort.abort();
  return seen.includes("BOOKMARK") ? "complete" : `${path} ended without a bookmark`;
}

test("every resource that can be listed is listed in protobuf", async () => {
  const paths = await pathsWith("list");
  expect(paths.length).toBeGreaterThan(55);
  const lists = paths.map(async (path) => {
    const answer = await server.fetch(`${path}?limit=500&resourceVersion=0`, { headers: { accept } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return answer.status === 200 && bytes.subarray(0, 4).equals(magic) ? "complete" : `${path} ${answer.status}`;
  });
  expect(new Set(await Promise.all(lists))).toEqual(new Set(["complete"]));
});

test("every resource that can be watched sends its objects and a bookmark in protobuf", async () => {
  const paths = await pathsWith("list", "watch");
  expect(paths).toEqual(
    expect.arrayContaining([
      "/api/v1/pods",
      "/apis/resource.k8s.io/v1/resourceslices",
      "/apis/networking.k8s.io/v1/servicecidrs",
      "/apis/storage.k8s.io/v1/volumeattributesclasses",
      "/apis/events.k8s.io/v1/events",
      "/apis/coordination.k8s.io/v1/leases",
    ]),
  );
  expect(new Set(await Promise.all(paths.map(initialEvents)))).toEqual(new Set(["complete"]));
});
