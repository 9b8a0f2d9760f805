import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { makeCertificate } from "../../base/certificate.suite.ts";
import { openSession } from "../session.suite.ts";

/** Refuses everyone, as a server does that cannot accept the certificate. */
async function openRefusing(code: number, reason: string) {
  const server = createServer((_, response) => {
    response.writeHead(code, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", status: "Failure", code, reason, message: reason }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

const yearMs = 365 * 24 * 3_600_000;

for (const [code, reason, said] of [
  [401, "Unauthorized", "error: You must be logged in to the server (Unauthorized)"],
  [403, "Forbidden", "Error from server (Forbidden): Forbidden"],
] as const)
  test(`a client certificate that has expired is the reason of a ${code}`, async () => {
    await using session = await openSession("ctl");
    await using server = await openRefusing(code, reason);
    const run = async (notBeforeMs: number, notAfterMs: number) => {
      const made = makeCertificate({
        subject: [["2.5.4.3", "jane"]],
        notBefore: new Date(notBeforeMs),
        notAfter: new Date(notAfterMs),
      });
      const key = made.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      const flags = `--client-certificate=${session.file("c.pem", made.pem)} --client-key=${session.file("k.pem", key)}`;
      return session.run(`get --raw /api --server=${server.url} ${flags}`, { isConfigured: true });
    };
    const now = Date.now();
    expect(await run(now - yearMs, now - 60_000)).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/\nyour client certificate \(CN=jane\) expired at \d{4}-.*Z; get a new one\n$/),
    });
    expect((await run(now + yearMs, now + 2 * yearMs)).err).toContain("is not valid before");
    expect((await run(now - yearMs, now + yearMs)).err).toBe(`${said}\n`);
  });
