/** The snippets of docs/testing.md, run as they are written. */

import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, expect, test } from "vitest";
import * as client from "../../src/kit/orch-client.ts";
import * as library from "../../src/main/library.ts";
import * as testing from "../../src/main/testing.ts";

const { createServer, kinds } = library;
const page = readFileSync("docs/testing.md", "utf8");
const folder = mkdtempSync(join(tmpdir(), "orch-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks of a language under a heading. */
function blocksOf(heading: string, language = "ts"): string[] {
  const section = page.split(`\n${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, given, block = ""]) =>
    given === language ? [block] : [],
  );
}

/** A test that a snippet declares. */
type DeclaredTest = (context: { readonly server: library.OrchServer }) => Promise<void>;
type Fixtures = ReturnType<typeof testing.serverFixture>;

/** The part of vitest that the page uses; tests run when they are declared. */
const runner = {
  expect,
  test: {
    extend: (fixtures: Fixtures) => (_title: string, body: DeclaredTest) =>
      fixtures.server({}, (server) => body({ server })),
  },
};

let snippetsRun = 0;

/** Runs a snippet. `given`: names that it takes from the text around it. A comment "// … words …" stands for `work`. */
async function run(snippet: string | undefined, given: Record<string, unknown> = {}): Promise<void> {
  if (snippet === undefined) throw new Error("the page does not have this snippet any more");
  snippetsRun++;
  const body = snippet
    .replace(
      /^import \{ (.*) \} from (".*");$/gm,
      (_, names: string, from: string) => `const { ${names.replaceAll(" as ", ": ")} } = modules[${from}];`,
    )
    .replace(/^export default (.*);$/gm, "exported.push($1);")
    .replace(/^test\(/gm, "await test(")
    .replace(/\/\/ … .*$/gm, "await work();")
    .replaceAll(/"(config\/crd|testdata\/web\.yaml)"/g, (_, path: string) => JSON.stringify(join(folder, path)));
  const names = Object.keys(given);
  const program = `const page = async (modules, ${names.join(", ")}) => {\n${body}\n};`;
  const { code } = await transform(program, { loader: "ts", target: "node20", supported: { using: false } });
  const modules = { orch: library, "orch/client": client, "orch/testing": testing, "node:http": http, vitest: runner };
  const started: unknown = new Function(`${code}\nreturn page;`)();
  await (started as (...parts: unknown[]) => Promise<void>)(modules, ...Object.values(given)); // what `program` defines
}

const toys = (group: string) => ({
  apiVersion: `${group}/v1`,
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { status: { type: "object" } } } },
      },
    ],
  },
});
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

function writeFiles(group: string): void {
  for (const each of ["config/crd", "testdata"]) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, "config/crd/toys.json"), JSON.stringify(toys(group)));
  writeFileSync(join(folder, "testdata/web.yaml"), JSON.stringify(web)); // JSON is YAML
}

const headers = { "content-type": "application/json" };
const asController = { ...headers, "impersonate-user": "my-controller", "impersonate-group": "system:masters" };
const maps = "/api/v1/namespaces/default/configmaps";

test("the first snippet creates a Deployment", async () => {
  const [first] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  const snippet = first?.[1]?.replace(/await server\.fetch\((.*)\);/, "await answered(server.fetch($1));");
  let status: number | undefined;
  const answered = async (answer: Promise<Response>) => {
    status = (await answer).status;
  };
  await run(snippet, { headers, body: JSON.stringify(web), answered });
  expect(status).toBe(201);
});

test("a fixture gives a test its server, and a global setup prepares the state of all", async () => {
  const [fixture, setup] = blocksOf("## A server for each test");
  writeFiles("apiextensions.orch.io");
  await run(fixture);
  writeFiles("apiextensions.k8s.io");
  const exported: ReturnType<typeof testing.globalSetup>[] = [];
  await run(setup, { exported });
  const tearDown = await exported[0]?.();
  try {
    await testing.withServer({}, async (server) => {
      expect((await server.fetch("/apis/example.com/v1/toys")).status).toBe(200);
    });
  } finally {
    await tearDown?.();
  }
});

test("the waits of the page end", async () => {
  await using server = await createServer({ controllers: ["deployment", "replicaset"] });
  await server.load([
    toys("apiextensions.orch.io"),
    web,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  ]);
  const toy = { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "ball", namespace: "shop" }, status: {} };
  const isMade = await server.fetch("/apis/example.com/v1/namespaces/shop/toys", {
    method: "POST",
    headers,
    body: JSON.stringify(toy),
  });
  expect(isMade.status).toBe(201);
  const [snippet] = blocksOf("## When is the controller done?");
  const remove = () => server.fetch("/api/v1/namespaces/shop", { method: "DELETE" });
  await run(snippet?.replace(/^(await server\.untilGone)/m, "await remove();\n$1"), { server, kinds, remove });
  expect((await server.fetch("/api/v1/namespaces/shop")).status).toBe(404);
});

test("an hour of virtual time passes", async () => {
  const [snippet = ""] = blocksOf("## Time");
  const checked = (server: library.OrchServer) => void times.push(server.clock.now());
  const times: number[] = [];
  await run(`${snippet.replace(/^(await server.clock)/m, "checked(server);\n$1")}\nchecked(server);`, {
    createServer,
    checked,
  });
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(3_600_000);
});

test("an app names its users to the server that it contains", async () => {
  const [snippet = ""] = blocksOf("## A server inside an app");
  const sessionOf = async (cookie: string | null) => (cookie === "s=1" ? { user: "jane", teams: ["shop"] } : undefined);
  const listening: Server[] = [];
  const program = snippet.replace(/^(createHttpServer.*\.listen\()8080\)/m, 'opened.push($1 0, "127.0.0.1"))');
  const opened = { push: (one: Server) => listening.push(one) };
  await run(`${program.replace("const server =", "await using server =")}\nawait asked(opened);`, {
    sessionOf,
    opened,
    asked: async () => {
      const [http] = listening;
      if (http === undefined) throw new Error("the snippet does not listen");
      if (!http.listening) await once(http, "listening");
      const { port } = http.address() as AddressInfo;
      const refusal = async (cookie: string) =>
        (await fetch(`http://127.0.0.1:${port}/cluster/api/v1/nodes`, { headers: { cookie } })).text();
      expect(await refusal("s=1")).toContain('User \\"jane\\"');
      expect(await refusal("s=2")).toContain("system:anonymous");
      http.close();
      http.closeAllConnections();
    },
  });
});

test("a webhook of a test changes and refuses objects", async () => {
  const [snippet] = blocksOf("## Webhooks and policies");
  await using server = await createServer({ controllers: false });
  const create = async (object: object) => {
    const body = JSON.stringify(object);
    const answer = await server.fetch(maps, { method: "POST", headers: asController, body });
    return { status: answer.status, body: (await answer.json()) as { metadata?: { labels?: object } } };
  };
  await run(`${snippet}\nawait asked();`, {
    server,
    asked: async () => {
      expect((await create({ metadata: { name: "without" } })).status).toBe(403);
      const made = await create({ metadata: { name: "with" }, data: { a: "b" } });
      expect(made.status).toBe(201);
      expect(Object.keys(made.body.metadata?.labels ?? {})).toEqual(["by"]);
    },
  });
  expect((await create({ metadata: { name: "later" } })).status).toBe(201);
});

test("each test begins with what was loaded, or goes back to it", async () => {
  writeFiles("apiextensions.orch.io");
  const [forked = "", loaded = "", reset = ""] = blocksOf("## A state for each test");
  const seen: string[] = [];
  const declared = async (title: string, body: () => Promise<void>) => {
    seen.push(title);
    await body();
  };
  await run(`${forked}\nawait warm.close();`, { createServer, test: declared, work: () => seen.push("work") });
  expect(seen).toEqual(["work", "scales"]);
  await using warm = await createServer({ controllers: false });
  await run(loaded, { warm });
  expect((await warm.fetch("/apis/example.com/v1/namespaces/shop/toys")).status).toBe(200);
  const work = () =>
    warm.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine", namespace: "default" } }]);
  await run(reset, { server: warm, work });
  expect((await warm.fetch(`${maps}/mine`)).status).toBe(404);
});

test("faults hit every second update, by a call and by a FaultPlan", async () => {
  const [snippet] = blocksOf("## When requests fail");
  const [plan = ""] = blocksOf("## When requests fail", "yaml");
  await using server = await createServer({ controllers: false, faultPlans: true });
  const update = async () => {
    const body = JSON.stringify({ metadata: { name: "m" } });
    return (await server.fetch(`${maps}/m`, { method: "PUT", headers: asController, body })).status;
  };
  await server.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace: "default" } }]);
  const statuses: number[] = [];
  await run(snippet, { server, expect, work: async () => statuses.push(await update(), await update()) });
  expect([...statuses, await update(), await update()]).toEqual([200, 409, 200, 200]);
  const file = join(folder, "plan.yaml");
  writeFileSync(file, plan);
  await server.load(file);
  await server.until(
    "FaultPlan",
    "storm",
    ({ status }) => (status as { active?: boolean } | undefined)?.active === true,
  );
  expect([await update(), await update()]).toEqual([200, 409]);
});

test("the journal answers the questions of the page", async () => {
  await using other = await createServer({ controllers: false });
  const [snippet = ""] = blocksOf("## What did the controller do?");
  const work = async (server: library.OrchServer) => {
    const body = JSON.stringify({ metadata: { name: "made" } });
    await server.fetch(maps, { method: "POST", headers: asController, body });
  };
  await run(snippet.replace(/^(server\.journal\.requests)/m, "await work(server);\n$1"), { createServer, other, work });
  expect((await other.fetch(`${maps}/made`)).status).toBe(200);
});

test("no snippet of the page is left out", () => {
  expect(snippetsRun).toBe(page.match(/^```ts$/gm)?.length);
});
