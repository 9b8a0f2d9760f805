import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, list, object } from "../json.ts";
import { openSession, type Session } from "../session.suite.ts";

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}, annotations: {note: x}}
spec:
  initContainers: [{name: setup, image: i}]
  containers:
  - name: main
    image: web:1
    livenessProbe: {exec: {command: ["true"]}}
    readinessProbe: {exec: {command: ["true"]}}
    securityContext: {runAsUser: 5}
`;

async function opened(options: Parameters<typeof openSession>[1], program = "ctl"): Promise<Session> {
  const session = await openSession(program, { disableAdmissionPlugins: ["ServiceAccount"], ...options });
  session.file("web.yaml", manifest);
  await session.ok("create -f web.yaml");
  return session;
}

const read = async (session: Session, name: string): Promise<Json> =>
  JSON.parse(await session.ok(["get", name, "-o", "json"])) as Json;

const inside = async (session: Session) => list(await read(session, "pod/web"), "spec", "ephemeralContainers");

describe.each(["orch", "kubernetes"] as const)("at 1.35, in the vocabulary %s, debug", (vocabulary) => {
  let session: Session;
  beforeAll(async () => {
    session = await opened({ emulatedVersion: "1.35", vocabulary });
    session.file("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: one}\n");
    await session.ok("create -f node.yaml");
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test("adds a container to a pod, and says nothing else", async () => {
    const { code, out, err } = await session.run("debug web --image=busybox --env=A=b -- sleep 5");
    const [, name = ""] = /^Defaulting debug container name to (debugger-\w{5})\.\n$/.exec(out) ?? [];
    expect([code, err]).toEqual([0, ""]);
    expect(await inside(session)).toEqual([
      expect.objectContaining({
        name,
        image: "busybox",
        command: ["sleep", "5"],
        env: [{ name: "A", value: "b" }],
        securityContext: { capabilities: { add: ["SYS_PTRACE"] } },
      }),
    ]);
  });

  test("adds further containers behind the first", async () => {
    await session.ok("debug web --image=busybox -c second --target=main --profile=restricted -q");
    const [, second] = await inside(session);
    expect(second).toMatchObject({
      name: "second",
      targetContainerName: "main",
      securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true },
    });
  });

  test("says why the server refuses a container", async () => {
    const missing = await session.run("debug web --image=busybox --target=nope -q");
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringMatching(/spec\.ephemeralContainers\[2\]\.targetContainerName: Not found: "nope"/),
    ]);
    const taken = await session.run("debug web --image=busybox -c main -q");
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('Duplicate value: "main"')]);
  });

  test("refuses unknown profiles, and flags of copies without one", async () => {
    const { code, err } = await session.run("debug web --image=busybox --profile=nope");
    expect([code, err]).toEqual([1, expect.stringMatching(/^error: unknown profile: nope; profiles are general, /)]);
    expect((await session.run("debug web --image=busybox --keep-labels")).err).toBe(
      "error: --keep-labels may only be used with --copy-to.\n",
    );
  });

  test("copies a pod without its labels and probes, and with one more container", async () => {
    await session.ok("debug web --copy-to=copy --image=busybox -c extra -q");
    const copy = await read(session, "pod/copy");
    const [main, extra] = list(copy, "spec", "containers");
    expect(object(copy, "metadata")["labels"]).toBeUndefined();
    expect(object(copy, "spec")["shareProcessNamespace"]).toBe(true);
    expect(main?.["livenessProbe"]).toBeUndefined();
    expect(extra).toMatchObject({ name: "extra", securityContext: { capabilities: { add: ["SYS_PTRACE"] } } });
  });

  test("keeps what flags name, and the security context of a copied container", async () => {
    await session.ok(
      "debug web --copy-to=kept -c main --image=web:2 --profile=netadmin --keep-labels --keep-liveness --keep-init-containers=false",
    );
    const copy = await read(session, "pod/kept");
    expect(object(copy, "metadata")["labels"]).toEqual({ app: "web" });
    expect(object(copy, "spec")["initContainers"]).toBeUndefined();
    const [main] = list(copy, "spec", "containers");
    expect(main).toMatchObject({
      image: "web:2",
      livenessProbe: {},
      securityContext: { runAsUser: 5, capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
    });
    expect(main?.["readinessProbe"]).toBeUndefined();
  });

  test("creates a pod on a node, which shows as much of the node as the profile allows", async () => {
    const podOf = async (line: string) => {
      const [, name = ""] = /pod (\S+) with container debugger on node one\.\n$/.exec(await session.ok(line)) ?? [];
      return object(await read(session, `pod/${name}`), "spec");
    };
    expect(await podOf("debug node/one --image=busybox")).toMatchObject({
      nodeName: "one",
      hostPID: true,
      tolerations: expect.arrayContaining([{ operator: "Exists" }]),
      volumes: [{ name: "host-root", hostPath: { path: "/" } }],
    });
    const baseline = await podOf("debug node/one --image=busybox --profile=baseline");
    expect([baseline["hostPID"], baseline["volumes"]]).toEqual([undefined, undefined]);
  });
});

describe("at 1.21, debug", () => {
  test("adds a container by the list that the subresource was then", async () => {
    await using session = await opened({ featureGates: { EphemeralContainers: true } });
    await session.ok("debug web --image=busybox -c first");
    await session.ok("debug web --image=busybox -c second");
    expect((await inside(session)).map(({ name }) => name)).toEqual(["first", "second"]);
  });
  test("says that ephemeral containers are off", async () => {
    await using session = await opened({});
    const { code, err } = await session.run("debug web --image=busybox");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error: ephemeral containers are disabled for this cluster/),
    ]);
  });
});

test("under the name kubectl a container has no profile", async () => {
  await using session = await opened({ emulatedVersion: "1.35" }, "kubectl");
  await session.ok("debug web --image=busybox -c plain");
  const [plain] = await inside(session);
  expect([plain?.["name"], plain?.["securityContext"]]).toEqual(["plain", undefined]);
});
