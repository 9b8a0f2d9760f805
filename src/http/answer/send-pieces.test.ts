import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../base/seeded-random.ts";
import { ask } from "../server.fixture.ts";
import { openTestListener, type TestListener } from "../transport/listener.fixture.ts";

const rooms = ["a", "b", "c"];
const path = (room: string) => `/apis/toys.example.com/v1/namespaces/${room}/gadgets`;
let door: TestListener;
const expected = new Map<string, string>();

beforeAll(async () => {
  door = await openTestListener();
  for (const room of rooms) {
    for (let at = 0; at < 40; at++) {
      const notes = { n: `${room}${at}`.repeat(2_000 + at * 100) };
      await ask(door.server.fetch, "POST", path(room), { metadata: { name: `g${at}` }, spec: { notes } });
    }
  }
  for (const room of rooms) expected.set(room, await (await door.server.fetch(path(room))).text());
});
afterAll(() => door.close());

type Client = (target: string) => Promise<Readable>;

function http1(agent: Agent, headers: Record<string, string>): Client {
  return (target) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: door.port, path: target, headers, agent }, (answer) =>
        resolve(answer.headers["content-encoding"] === "gzip" ? answer.pipe(createGunzip()) : answer),
      );
      sent.on("error", reject).end();
    });
}

test("clients that list at the same time, slowly or in part, each get what they asked for", async () => {
  const random = seededRandom(7);
  const integer = (below: number) => Math.floor(random() * below);
  const agents = [0, 1, 2].map(() => new Agent({ keepAlive: true, rejectUnauthorized: false }));
  const session = connectHttp2(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
  const clients: Client[] = [
    http1(agents[0]!, {}),
    http1(agents[1]!, { te: "trailers" }), // answered by node:http
    http1(agents[2]!, { "accept-encoding": "gzip" }),
    async (target) => session.request({ ":path": target }),
  ];
  const wrong: string[] = [];
  let whole = 0;
  const use = async (client: Client) => {
    for (let turn = 0; turn < 12; turn++) {
      const room = rooms[integer(rooms.length)]!;
      const answer = await client(path(room));
      const leavesAfter = integer(4) === 0 ? integer(400_000) : Number.POSITIVE_INFINITY;
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of answer) {
        parts.push(part);
        bytes += part.length;
        if (bytes > leavesAfter) break; // this ends the answer
        if (integer(8) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const text = Buffer.concat(parts).toString();
      const isWhole = bytes <= leavesAfter;
      if (isWhole) whole += 1;
      if (isWhole ? text !== expected.get(room) : !expected.get(room)?.startsWith(text)) wrong.push(room);
    }
  };
  await Promise.all(clients.flatMap((client) => [use(client), use(client), use(client)]));
  session.destroy();
  for (const agent of agents) agent.destroy();
  expect([wrong, whole > 60]).toEqual([[], true]);
});
