/** Refusals of level 1.35 that level 1.21 does not have, as clients see them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const core = "/api/v1/namespaces/default";
const levels = ["1.21", "1.35"] as const;
let servers: readonly OrchServer[] = [];

beforeAll(async () => {
  servers = await Promise.all(
    levels.map((emulatedVersion) => createServer({ emulatedVersion, controllers: false, authorization: "RBAC" })),
  );
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, Record<string, unknown>>;
}

async function ask(server: OrchServer, method: string, path: string, body?: object): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  const answer = await server.fetch(path, { method, ...sent });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** The same requests at both levels: the status of the last of them. */
async function both(...requests: readonly [method: string, path: string, body?: object][]): Promise<number[]> {
  const codes: number[] = [];
  for (const server of servers) {
    let last = 0;
    for (const request of requests) last = (await ask(server, ...request)).status;
    codes.push(last);
  }
  return codes;
}

const late = (): OrchServer => servers[1]!;
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const causes = ({ body }: Answer) => body["details"]?.["causes"];

test("a pod with scheduling gates cannot be bound; level 1.21 has no gates", async () => {
  const target = { kind: "Node", name: "n" };
  const codes = await both(
    ["POST", `${core}/pods`, pod("gated", { schedulingGates: [{ name: "example.com/wait" }] })],
    ["POST", `${core}/pods/gated/binding`, { metadata: { name: "gated" }, target }],
  );
  expect(codes).toEqual([201, 409]);
});

test("who may only get pods/exec, attach and portforward cannot connect where a WebSocket needs create", async () => {
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  for (const server of servers) {
    const rules = (verbs: string[], name: string) => ({
      metadata: { name },
      rules: [{ apiGroups: [""], resources: ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy"], verbs }],
    });
    for (const [name, verbs] of [
      ["reader", ["get"]],
      ["operator", ["get", "create"]],
    ] as const) {
      await ask(server, "POST", `${rbac}/clusterroles`, rules([...verbs], name));
      await ask(server, "POST", `${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name },
        subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name }],
      });
    }
  }
  const get = (server: OrchServer, name: string, path: string) => server.fetchAs({ name })(`${core}/pods/none/${path}`);
  const codes = async (name: string, path: string) => {
    const answers = await Promise.all(servers.map((server) => get(server, name, path)));
    return answers.map(({ status }) => status);
  };
  for (const path of ["exec?command=x", "attach", "portforward"]) {
    await expect.poll(() => codes("operator", path)).toEqual([404, 404]);
    expect([path, await codes("reader", path)]).toEqual([path, [404, 403]]);
  }
  expect(await codes("reader", "proxy")).toEqual([404, 404]);
});

test("ephemeral containers target lasting containers, and do not start again", async () => {
  const path = `${core}/pods/debugged`;
  await ask(late(), "POST", `${core}/pods`, pod("debugged", { restartPolicy: "Always" }));
  const add = (...ephemeralContainers: object[]) =>
    ask(late(), "PATCH", `${path}/ephemeralcontainers`, { spec: { ephemeralContainers } });
  const first = { name: "first", image: "i" };
  const second = { name: "second", image: "i", targetContainerName: "first" };
  expect(causes(await add(first, second))).toMatchObject([
    { field: "spec.ephemeralContainers[1].targetContainerName" },
  ]);
  expect((await add(first, { ...second, targetContainerName: "c" })).status).toBe(200);
  const state = (state: object) =>
    ask(late(), "PATCH", `${path}/status`, { status: { ephemeralContainerStatuses: [{ name: "first", state }] } });
  expect((await state({ terminated: { exitCode: 1 } })).status).toBe(200);
  expect(causes(await state({ terminated: null, running: {} }))).toMatchObject([
    { reason: "FieldValueForbidden", field: "status.ephemeralContainerStatuses[0].state" },
  ]);
});

test("a token is refused to a request that names another account or another uid", async () => {
  const request = (metadata: object) => ({ apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", metadata });
  const path = `${core}/serviceaccounts/robot/token`;
  await both(["POST", `${core}/serviceaccounts`, { metadata: { name: "robot" } }]);
  expect(await both(["POST", path, request({ uid: "another" })])).toEqual([201, 409]);
  expect(await both(["POST", path, request({ name: "another" })])).toEqual([201, 422]);
  const { body: account } = await ask(late(), "GET", `${core}/serviceaccounts/robot`);
  const uid = account["metadata"]?.["uid"];
  const { status, body } = await ask(late(), "POST", path, request({ uid }));
  expect([status, body["metadata"]?.["uid"]]).toEqual([201, uid]);
});

test("requirements of selectors that are not valid make an access review invalid", async () => {
  const review = async (selector: "fieldSelector" | "labelSelector", requirement: object) => {
    const resourceAttributes = { verb: "list", resource: "pods", [selector]: { requirements: [requirement] } };
    const path = "/apis/authorization.orch.io/v1/selfsubjectaccessreviews";
    const { status, body } = await ask(late(), "POST", path, { spec: { resourceAttributes } });
    const found = (body["details"]?.["causes"] ?? []) as { reason: string; field: string }[];
    return [status, ...found.map(({ reason, field }) => `${reason} ${field.split("[0].")[1]}`)];
  };
  for (const selector of ["fieldSelector", "labelSelector"] as const) {
    const asked = (requirement: object) => review(selector, { key: "a", ...requirement });
    expect(await asked({ operator: "In" })).toEqual([422, "FieldValueRequired values"]);
    expect(await asked({ operator: "Exists", values: ["x"] })).toEqual([422, "FieldValueForbidden values"]);
    expect(await asked({ operator: "NotKnownYet" })).toEqual([201]);
  }
  expect(await review("fieldSelector", { key: "", operator: "Exists" })).toEqual([422, "FieldValueRequired key"]);
  expect((await review("labelSelector", { key: "!", operator: "In", values: ["!"] }))[0]).toBe(422);
});

test("a PUT of an absent object with a uid is not found, unless a PUT may create it", async () => {
  const map = { metadata: { name: "none", uid: "u" } };
  expect(await both(["PUT", `${core}/configmaps/none`, map])).toEqual([409, 404]);
  const lease = "/apis/coordination.orch.io/v1/namespaces/default/leases/none";
  expect(await both(["PUT", lease, map])).toEqual([409, 409]);
});

test("the index of OpenAPI v3 has no tag, and is not sent to clients that have any", async () => {
  for (const server of servers) {
    const get = (tag: string) => server.fetch("/openapi/v3", { headers: { "if-none-match": tag } });
    expect((await get("*")).status).toBe(304);
    expect((await get('"other"')).status).toBe(200);
  }
});
