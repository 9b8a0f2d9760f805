import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestServer } from "../server.fixture.ts";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

describe("closing a server", () => {
  test("lets a request finish, ends watches and idle connections, and accepts no new ones", async () => {
    const own = await openTestServer();
    const port = await door.open({ handler: own.handler });
    const idle = await door.tls({ port: port.port });
    idle.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    const watching = await door.tls({ port: port.port });
    watching.write(`GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(watching, "data");
    const idleClosed = once(idle, "close");
    const watchEnded = once(watching, "close");
    const began = performance.now();
    own.lifecycle.end();
    await port.close(60_000);
    await Promise.all([idleClosed, watchEnded]);
    expect(performance.now() - began).toBeLessThan(30_000); // long before they would have been destroyed
    await expect(door.tls({ port: port.port })).rejects.toThrow();
    await own.close();
  });

  test("destroys connections that do not end in time", async () => {
    const own = await openTestServer();
    const port = await door.open({ handler: own.handler });
    const watching = await door.tls({ port: port.port });
    watching.write(`GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(watching, "data");
    const closed = once(watching, "close");
    await port.close(50);
    await closed;
    await own.close();
  });
});
