import { expect, test } from "vitest";
import type { AdmissionRequest } from "../../admission/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { Query } from "../query.ts";
import { admin } from "../server.fixture.ts";
import { connect } from "./connect.ts";
import type { Target } from "./target.ts";

const exec = {
  name: "exec",
  verbs: ["create", "get"] as const,
  shownKind: "PodExecOptions",
  action: "pods/exec",
  connects: { stdin: "flag", tty: "flag", container: "text", command: "texts", ports: "numbers" } as const,
};

const findsNothing = () => Promise.reject(new StatusError("NotFound", "gone"));

/** Only what a connection looks at. */
function ask(query: string, judge: (request: AdmissionRequest) => void, subresource: object = exec): Promise<void> {
  const context = {
    actions: new Map(["pods/exec", "pods/log"].map((name) => [name, { connect: findsNothing }])),
    admission: { mutate() {}, validate: judge },
  } as unknown as Context;
  const call = { user: admin, info: { query: new Query(query) }, warn() {} } as unknown as Call;
  const kind = { resource: "pods", namespaced: true };
  return connect(context, call, {
    kind,
    ref: { namespace: "a", name: "p" },
    subresource,
  } as unknown as Target);
}

test("a connection is judged before anybody looks for the object, with the options of its query", async () => {
  const seen: AdmissionRequest[] = [];
  const refused = ask("command=ls&command=-l&container=c&stdin=1&tty=false&ports=80,81&other=x", (request) => {
    seen.push(request);
    throw new StatusError("Forbidden", "no");
  });
  await expect(refused).rejects.toMatchObject({ code: 403 });
  expect(seen[0]).toMatchObject({ operation: "CONNECT", subresource: "exec", namespace: "a", name: "p" });
  expect(seen[0]?.object).toEqual({
    kind: "PodExecOptions",
    apiVersion: "v1",
    metadata: {},
    stdin: true,
    container: "c",
    command: ["ls", "-l"],
    ports: [80, 81],
  });
});

test("where there is nothing to be heard yet, the answer says so without a body", async () => {
  const sent: unknown[] = [];
  const context = { actions: new Map([["pods/log", { connect: async () => {} }]]) } as unknown as Context;
  const exchange = { send: (...answer: unknown[]) => sent.push(answer) };
  const call = { user: admin, info: { query: new Query("") }, exchange, auditId: "a" } as unknown as Call;
  const subresource = { name: "log", verbs: ["get"], action: "pods/log" };
  await connect(context, call, { kind: {}, ref: { namespace: "a", name: "p" }, subresource } as unknown as Target);
  expect(sent).toEqual([[204, { "audit-id": "a", "cache-control": "no-cache, private" }]]);
});

test("what only reads, as a log does, is not a connection", async () => {
  const log = { name: "log", verbs: ["get"], action: "pods/log" };
  const judge = () => {
    throw new StatusError("Forbidden", "no");
  };
  await expect(ask("", judge, log)).rejects.toMatchObject({ code: 404 });
});
