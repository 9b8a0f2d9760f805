import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { calloutsMax, calloutsWaitingMax, createCallout, createDelivery } from "./callout.ts";

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

test("only so many questions are asked at once, others wait, and beyond that they fail", async () => {
  let open = 0;
  const answers: (() => void)[] = [];
  server = createServer((_request, response) => {
    open++;
    answers.push(() => response.end("{}"));
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const ask = createCallout({ url: `http://127.0.0.1:${port}/`, tls: {}, headers: {} });
  const asked = Array.from({ length: calloutsMax + calloutsWaitingMax }, () => ask({}));
  for (const one of asked) one.catch(() => {});
  await expect(ask({})).rejects.toThrow(`${calloutsWaitingMax} calls wait`);
  await expect.poll(() => open).toBe(calloutsMax);
  answers[0]?.();
  await asked[0];
  await expect.poll(() => open).toBe(calloutsMax + 1);
  const late = createCallout({ url: `http://127.0.0.1:${port}/`, tls: {}, headers: {} }, 50);
  const slow = Array.from({ length: calloutsMax + 1 }, () => late({}));
  expect((await Promise.allSettled(slow)).every(({ status }) => status === "rejected")).toBe(true);
  server.closeAllConnections();
  await Promise.allSettled(asked.slice(0, calloutsMax + 1));
});
