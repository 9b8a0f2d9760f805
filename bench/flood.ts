/** A client that asks for the same path over many connections, all the time. After a refusal a connection waits for a second, as Retry-After asks. */

import { Connection, prepareRequest } from "./connection.ts";

/** Runs until it is killed. Prints a line when all connections are open. */
export async function runFlood([port = "", path = "", token = "", connections = ""]: readonly string[]): Promise<void> {
  const tls = { host: "127.0.0.1", port: Number(port), rejectUnauthorized: false };
  const request = prepareRequest("GET", path, { authorization: `Bearer ${token}` });
  const opened: Connection[] = [];
  for (let count = 0; count < Number(connections); count++) opened.push(await Connection.open(tls));
  process.stdout.write("flooding\n");
  await Promise.all(
    opened.map(async (connection) => {
      for (;;) {
        const { status } = await connection.request(request);
        if (status === 429) await new Promise((done) => setTimeout(done, 1_000));
      }
    }),
  );
}
