/** Watches of changes: what is written appears, to those who may see it. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const changes = "/apis/history.orch.io/v1alpha1";
const own = `${changes}/namespaces/default/changes`;
const maps = "/api/v1/namespaces/default/configmaps";
const rbac = "/apis/rbac.authorization.orch.io/v1";

interface Event {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly message?: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly object?: { readonly name: string; readonly resource: string };
    readonly operation?: string;
    readonly fields?: readonly { readonly path: string; readonly new?: string }[];
  };
}

let server: OrchServer;

async function write(method: string, path: string, body?: object): Promise<string> {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const answer = await server.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return ((await answer.json()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

const create = (name: string) => write("POST", maps, { metadata: { name }, data: { of: name } });

interface Watched extends AsyncDisposable {
  readonly events: Event[];
  readonly ended: Promise<void>;
}

async function watch(path: string, query = "", fetch = server.fetch): Promise<Watched> {
  const stop = new AbortController();
  const answer = await fetch(`${path}?watch=1&${query}`, { signal: stop.signal });
  expect(answer.status, answer.status === 200 ? "" : await answer.text()).toBe(200);
  const events: Event[] = [];
  const read = async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
      rest = lines.pop()!;
      events.push(...lines.map((line) => JSON.parse(line) as Event));
    }
  };
  const ended = read().catch(() => {});
  const end = () => {
    stop.abort();
    return ended;
  };
  return { events, ended, [Symbol.asyncDispose]: end };
}

const told = ({ events }: Watched) =>
  events.filter(({ type }) => type === "ADDED").map(({ object }) => `${object.operation} ${object.object?.name}`);

const select = (text: string) => `fieldSelector=${encodeURIComponent(text)}`;

async function list(query = ""): Promise<{ version: string; names: string[]; next: string }> {
  const answer = await server.fetch(`${own}?${query}`);
  const { metadata, items } = (await answer.json()) as {
    metadata: { resourceVersion: string; continue?: string };
    items: readonly { metadata: { name: string } }[];
  };
  const names = items.map(({ metadata: { name } }) => name);
  return { version: metadata.resourceVersion, names, next: metadata.continue ?? "" };
}

beforeAll(async () => {
  server = await createServer({ history: "1h", authorization: "RBAC", controllers: false, emulatedVersion: "1.35" });
});
afterAll(() => server.close());

describe("a watch of changes", () => {
  test("tells every change after the version of a list, in order, once, with its fields", async () => {
    await create("before");
    const { version } = await list();
    const first = await create("one");
    await using watched = await watch(own, `resourceVersion=${version}`);
    const second = await write("PATCH", `${maps}/one`, { data: { of: "two" } });
    await write("DELETE", `${maps}/one`);
    await expect.poll(() => told(watched)).toEqual(["create one", "update one", "delete one"]);
    const [, updated] = watched.events;
    expect(updated?.object.metadata).toMatchObject({ name: second, resourceVersion: second });
    expect(updated?.object.fields).toMatchObject([{ path: "data.of", new: '"two"' }]);
    expect(watched.events[0]?.object.metadata.resourceVersion).toBe(first);
    // It is resumed after the last that was seen.
    await using again = await watch(own, `resourceVersion=${second}`);
    await expect.poll(() => told(again)).toEqual(["delete one"]);
  });

  test("without a version begins with all that are kept, oldest first", async () => {
    await using watched = await watch(own, select("object.resource=configmaps,operation=create"));
    await expect.poll(() => told(watched)).toContain("create before");
    const known = watched.events.length;
    await create("later");
    await expect.poll(() => told(watched).slice(known)).toEqual(["create later"]);
    const versions = watched.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    // From any state that there is: only what follows.
    await using fresh = await watch(own, "resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    await create("fresh");
    await expect.poll(() => told(fresh).at(-1)).toBe("create fresh");
  });

  test("is selected by object, user and operation, and by the name of a change", async () => {
    const { version } = await list();
    const from = `resourceVersion=${version}&`;
    const about = "object.group=,object.resource=configmaps,object.name=chosen";
    await using object = await watch(own, from + select(about));
    await using deletes = await watch(own, from + select("operation=delete"));
    await using stranger = await watch(own, from + select("user!=admin"));
    await create("other");
    const created = await create("chosen");
    await using one = await watch(own, from + select(`metadata.name=${created}`));
    await write("DELETE", `${maps}/other`);
    await expect.poll(() => told(deletes)).toEqual(["delete other"]);
    expect(told(object)).toEqual(["create chosen"]);
    await expect.poll(() => told(one)).toEqual(["create chosen"]);
    expect(told(stranger)).toEqual([]);
  });

  test("sends bookmarks: at the end of what was there, and before it ends", async () => {
    const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    await using watched = await watch(own, `${initial}&timeoutSeconds=1`);
    await watched.ended;
    const marks = watched.events.filter(({ type }) => type === "BOOKMARK");
    const annotation = Object.values(marks[0]?.object.metadata.annotations ?? {});
    expect(annotation).toEqual(["true"]);
    await using brief = await watch(
      own,
      `resourceVersion=${(await list()).version}&timeoutSeconds=1&allowWatchBookmarks=true`,
    );
    await create("bookmarked");
    const { version } = await list();
    await brief.ended;
    expect(brief.events.at(-1)).toMatchObject({ type: "BOOKMARK", object: { metadata: { resourceVersion: version } } });
  });

  test("from a version that is no longer kept ends with 410, and bad queries are refused", async () => {
    await using brief = await createServer({ history: "30Ki", controllers: false });
    const send = (method: string, path: string, text: string) =>
      brief.fetch(path, {
        method,
        headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
        body: `{"metadata":{"name":"x"},"data":{"text":"${text}"}}`,
      });
    await send("POST", maps, "0");
    for (let at = 0; at < 20; at++) await send("PATCH", `${maps}/x`, `${at}`);
    await using old = await watch(own, "resourceVersion=1", brief.fetch);
    await old.ended;
    expect(old.events).toMatchObject([{ type: "ERROR", object: { code: 410 } }]);
    for (const [query, says] of [
      ["labelSelector=a%3Db", "have no labels"],
      ["atTime=2026-01-01T00:00:00Z", "a watch shows what happens from now on"],
      ["resourceVersion=x", "must be a resourceVersion"],
    ] as const) {
      const answer = await server.fetch(`${own}?watch=1&${query}`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(says)]);
    }
    for (const query of [select("color=red"), select("until=2026-01-01T00:00:00Z")]) {
      const answer = await server.fetch(`${own}?watch=1&${query}`);
      expect(answer.status).toBe(400);
    }
  });

  test("is a table where one is asked for, and the table of a list has its version", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
    const { version } = await list();
    const stop = new AbortController();
    const answer = await server.fetch(`${own}?watch=1&resourceVersion=${version}`, {
      headers: { accept },
      signal: stop.signal,
    });
    await create("tabled");
    for await (const chunk of answer.body!) {
      expect(Buffer.from(chunk as Uint8Array).toString()).toContain("configmaps/tabled");
      break;
    }
    stop.abort();
  });

  test("continues where a list in chunks began: nothing is missing, and nothing comes twice", async () => {
    const first = await list("limit=2");
    const late = await create("late");
    const rest = await list(`limit=500&continue=${encodeURIComponent(first.next)}`);
    expect(rest.version).toBe(first.version);
    expect(rest.names).not.toContain(late);
    await using watched = await watch(own, `resourceVersion=${rest.version}`);
    await expect.poll(() => told(watched)).toEqual(["create late"]);
    const { names } = await list(`resourceVersion=${first.version}&resourceVersionMatch=Exact`);
    expect(names).toEqual([...first.names, ...rest.names]);
  });
});

describe("a user who watches changes", () => {
  const secrets = "/api/v1/namespaces/default/secrets";

  async function grant(user: string, rule: object): Promise<string> {
    const name = `${user}-${Math.floor(performance.now() * 1_000)}`;
    await write("POST", `${rbac}/clusterroles`, { metadata: { name }, rules: [rule] });
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: user }];
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name };
    await write("POST", `${rbac}/clusterrolebindings`, { metadata: { name }, subjects, roleRef });
    return `${rbac}/clusterrolebindings/${name}`;
  }

  test("sees those of objects that they may get by the rules of now, and loses them with the right", async () => {
    await grant("viewer", { apiGroups: ["history.orch.io"], resources: ["changes"], verbs: ["list", "watch"] });
    const binding = await grant("viewer", { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] });
    const { version } = await list();
    await using watched = await watch(
      `${changes}/changes`,
      `resourceVersion=${version}`,
      server.fetchAs({ name: "viewer" }) as typeof server.fetch,
    );
    await create("open");
    await write("POST", secrets, { metadata: { name: "closed" }, data: { word: "bmFyd2hhbA==" } });
    await create("open-too");
    await expect.poll(() => told(watched)).toEqual(["create open", "create open-too"]);
    expect(JSON.stringify(watched.events)).not.toContain("bmFyd2hhbA");
    await write("DELETE", binding);
    await create("hidden");
    await using admin = await watch(own, `resourceVersion=${version}`);
    await expect.poll(() => told(admin)).toContain("create hidden");
    await create("hidden-too");
    await expect.poll(() => told(admin)).toContain("create hidden-too");
    expect(told(watched)).toEqual(["create open", "create open-too"]);
  });

  test("needs the right to watch changes, and one to get says nothing of it", async () => {
    await grant("lister", { apiGroups: ["history.orch.io"], resources: ["changes"], verbs: ["get", "list"] });
    for (const name of ["lister", "stranger"])
      expect((await server.fetchAs({ name })(`${own}?watch=1`)).status).toBe(403);
  });
});

test("a server without a history serves no such watch, and one with it says so in discovery", async () => {
  const groups = async (one: OrchServer) => (await one.fetch(changes)).text();
  expect(JSON.parse(await groups(server))).toMatchObject({
    resources: [{ name: "changes", verbs: ["get", "list", "watch"] }],
  });
  await using plain = await createServer({ controllers: false });
  expect((await plain.fetch(`${own}?watch=1`)).status).toBe(404);
});

test("the end of the server ends watches of changes", async () => {
  const brief = await createServer({ history: "1h", controllers: false });
  const watched = await watch(own, "", brief.fetch);
  await expect.poll(() => watched.events.length).toBeGreaterThan(0);
  await brief.close();
  await watched.ended;
  expect(watched.events.some(({ type }) => type === "ERROR")).toBe(false);
});
