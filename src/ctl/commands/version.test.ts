import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

interface Versions {
  readonly clientVersion: Record<string, string>;
  readonly serverVersion: Record<string, string>;
}

describe.each([
  { emulatedVersion: "1.21", release: "v1.21.14", minor: "21" },
  { emulatedVersion: "1.35", release: "v1.35.8", minor: "35" },
] as const)("at a server of $emulatedVersion", ({ emulatedVersion, release, minor }) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { emulatedVersion });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test("the client tells its own version and the releases that it speaks", async () => {
    const out = await session.ok("version");
    expect(out).toContain(`Client Version: 0.0.0 (API v1.21.14 to v1.35.8, Node ${process.version})\n`);
    expect(out).toContain(`Server Version: ${release}+orch-`);
  });

  for (const program of ["ctl", "kubectl"])
    test(`as ${program} the client has the release of the server, whose API it speaks`, async () => {
      const { clientVersion, serverVersion } = JSON.parse(await session.ok("version -o json", { program })) as Versions;
      expect(clientVersion).toMatchObject({ major: "1", minor, gitVersion: release });
      expect(serverVersion).toMatchObject({ major: "1", minor });
    });

  test("--match-server-version accepts the server", async () => {
    expect(await session.run("get configmaps --match-server-version")).toMatchObject({ code: 0 });
  });

  test("the user agent is the client's own version", async () => {
    const agents = new Set<string | null>();
    await session.ok("get configmaps", {
      fetch(path, init) {
        agents.add(new Headers(init?.headers).get("user-agent"));
        return session.server.fetch(path, init);
      },
    });
    expect([...agents]).toEqual([`ctl/0.0.0 (${process.platform}/${process.arch})`]);
  });
});

test("without a server the client has the release of the specification", async () => {
  await using session = await openSession("ctl", { emulatedVersion: "1.35" });
  const { clientVersion } = JSON.parse(await session.ok("version --client -o json")) as Versions;
  expect(clientVersion["gitVersion"]).toBe("v1.21.14");
});

test("without a server the client has the release that ORCH_EMULATED_VERSION names", async () => {
  await using session = await openSession("ctl", { emulatedVersion: "1.21" });
  const env = { ORCH_EMULATED_VERSION: "1.35" };
  expect(await session.ok("version --client -o json", { env })).toContain('"gitVersion": "v1.35.8"');
});
