import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { ResolveName } from "../../base/https-call.ts";
import { openRequest } from "../forwarding/open-request.ts";

test("a name is resolved once for each connection, and only the checked address is used (C05 in docs/security-rows.md)", async () => {
  let connections = 0;
  const victim = createServer((_, response) => response.end());
  victim.on("connection", () => connections++);
  await new Promise<void>((done) => victim.listen(0, "127.0.0.1", done));
  const { port } = victim.address() as AddressInfo;
  let lookups = 0;
  /** Every second answer leads to the victim. */
  const resolve: ResolveName = (_, __, callback) => {
    lookups++;
    callback(null, [{ address: lookups % 2 === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }]);
  };
  const calls = 200;
  for (let call = 0; call < calls; call++) {
    const request = openRequest(
      {
        scheme: "http",
        path: "/",
        host: "x",
        dial: { host: "rebind.test", port },
        tls: {},
        allows: (address) => address !== "127.0.0.1",
        resolve,
        agent: false,
      },
      "GET",
      {},
    );
    request.end();
    const outcome = await new Promise((done) => {
      request.once("error", (error) => done(error.message));
      request.once("response", () => done("answered"));
    });
    // Nothing listens at the allowed address, which the error names.
    const expected = call % 2 === 0 ? "127.0.0.2" : `this server does not connect to rebind.test port ${port}`;
    expect(outcome).toContain(expected);
  }
  expect([lookups, connections]).toEqual([calls, 0]);
  await new Promise((done) => victim.close(done));
});
