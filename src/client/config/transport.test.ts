import { expect, test } from "vitest";
import { makeCertificate, serverAuth } from "../../base/certificate.suite.ts";
import { systemClock } from "../../base/clock.ts";
import { hookNames, openHookServer } from "../../base/hook-server.suite.ts";
import type { ClientAccess } from "./access.ts";
import { openTransport } from "./transport.ts";

test("a server whose certificate has the subject of its authority is trusted, and no other of that name", async () => {
  const subject = [["2.5.4.3", "api"]] as const;
  const root = makeCertificate({ subject, authority: true });
  const other = makeCertificate({ subject, authority: true });
  const own = makeCertificate({ subject, issuer: root, usages: [serverAuth], moreExtensions: [hookNames] });
  const server = await openHookServer((_request, response) => response.end("{}"), [own]);
  const ask = async (ca: string) => {
    const none = { basic: undefined, exec: undefined, impersonate: undefined };
    const access: ClientAccess = { server: server.url, tls: { ca }, token: () => "secret", namespace: "", ...none };
    const surroundings = { clock: systemClock, env: {}, isInteractive: false };
    const transport = openTransport(access, { userAgent: "test", requestTimeoutMs: 0, ...surroundings });
    try {
      return (await transport.fetch("/version")).status;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    } finally {
      transport.close();
    }
  };
  expect(await ask(root.pem)).toBe(200);
  expect(await ask(other.pem)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(server.calls).toHaveLength(1);
  await server.close();
});
