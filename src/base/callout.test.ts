import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createCallout, createDelivery } from "./callout.ts";

let server: Server | undefined;
afterEach(() => new Promise((done) => (server === undefined ? done(undefined) : server.close(done))));

async function answering(status: number, body: string) {
  server = createServer((_request, response) => {
    response.statusCode = status;
    response.end(body);
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}/`, tls: {}, headers: {} };
}

test.each([
  [200, ""],
  [204, ""],
  [202, "thank you"],
])("a delivery is complete with %s %j, while a question needs an answer", async (status, body) => {
  const endpoint = await answering(status, body);
  await expect(createDelivery(endpoint)("{}")).resolves.toBeUndefined();
  await expect(createCallout(endpoint)({})).rejects.toThrow();
});

test.each([301, 404, 429, 500])("a delivery that is answered with %s has failed", async (status) => {
  await expect(createDelivery(await answering(status, "{}"))("{}")).rejects.toThrow(`status ${status}`);
});
