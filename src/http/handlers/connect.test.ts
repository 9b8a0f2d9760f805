import { expect, test } from "vitest";
import { StatusError } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { Call } from "../request/call.ts";
import { Query } from "../request/query.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { ServerContext } from "../server/context.ts";
import { admin } from "../server.fixture.ts";
import { connect } from "./connect.ts";
import type { HandledTarget } from "./target.ts";

const exec = {
  name: "exec",
  verbs: ["create", "get"] as const,
  shownKind: "PodExecOptions",
  action: "pods/exec",
  connects: { stdin: "flag", tty: "flag", container: "text", command: "texts", ports: "numbers" } as const,
};

const findsNothing = () => Promise.reject(new StatusError("NotFound", "gone"));

const callOf = (parts: Partial<Call>) => ({ user: admin, warn() {}, ...parts }) as Partial<Call> as Call;
const targetOf = (subresource: object) =>
  ({ kind: { resource: "pods", namespaced: true }, ref: { namespace: "a", name: "p" }, subresource }) as HandledTarget;

/** Only the members that a connection uses. */
function ask(query: string, check: (request: AdmissionRequest) => void, subresource: object = exec): Promise<void> {
  const context: Partial<ServerContext> = {
    actions: new Map(["pods/exec", "pods/log"].map((name) => [name, { connect: findsNothing }])),
    admission: { mutate() {}, validate: check },
  };
  return connect(
    context as ServerContext,
    callOf({ info: { query: new Query(query) } as RequestInfo }),
    targetOf(subresource),
  );
}

test("a connection is admitted before the object is looked up, with the options of its query", async () => {
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

test("without any output yet the answer has no body", async () => {
  const sent: unknown[] = [];
  const context: Partial<ServerContext> = { actions: new Map([["pods/log", { connect: async () => undefined }]]) };
  const exchange: Partial<Exchange> = { send: (...answer) => void sent.push(answer) };
  const info = { query: new Query("") } as RequestInfo;
  const call = callOf({ info, exchange: exchange as Exchange, auditId: "a" });
  const subresource = { name: "log", verbs: ["get"], action: "pods/log" };
  await connect(context as ServerContext, call, targetOf(subresource));
  expect(sent).toEqual([[204, { "audit-id": "a", "cache-control": "no-cache, private" }]]);
});

test("a subresource that only reads, such as log, is not a connection", async () => {
  const log = { name: "log", verbs: ["get"], action: "pods/log" };
  const check = () => {
    throw new StatusError("Forbidden", "no");
  };
  await expect(ask("", check, log)).rejects.toMatchObject({ code: 404 });
});
