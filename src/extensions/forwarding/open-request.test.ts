import { Agent } from "node:https";
import { expect, test } from "vitest";
import { makeCertificate, serverAuth } from "../../base/certificate.suite.ts";
import { hookNames, openHookServer } from "../../base/hook-server.suite.ts";
import { trusting } from "../../base/trusting-agent.ts";
import { openRequest } from "./open-request.ts";

test("a backend whose certificate has the subject of its authority is reached, with and without kept connections", async () => {
  const subject = [["2.5.4.3", "api"]] as const;
  const root = makeCertificate({ subject, authority: true });
  const other = makeCertificate({ subject, authority: true });
  const own = makeCertificate({ subject, issuer: root, usages: [serverAuth], moreExtensions: [hookNames] });
  const server = await openHookServer((_request, response) => response.end("{}"), [own]);
  const agents = [trusting(new Agent({ keepAlive: true })), false] as const;
  const ask = (agent: (typeof agents)[number], ca: string) =>
    new Promise((resolve) => {
      const dial = { host: "127.0.0.1", port: server.port };
      const tls = { ca, serverName: "hook.shop.svc" };
      const parts = { scheme: "https", path: "/", host: "x", dial, tls, allows: () => true, agent } as const;
      openRequest(parts, "GET", {})
        .once("response", (answer) => resolve(answer.resume().statusCode))
        .once("error", (error: NodeJS.ErrnoException) => resolve(error.code))
        .end();
    });
  for (const agent of agents) {
    expect(await ask(agent, root.pem)).toBe(200);
    expect(await ask(agent, other.pem)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  }
  agents[0].destroy();
  await server.close();
});
