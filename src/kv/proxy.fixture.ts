/** A proxy in front of a store that tests can cut, also in such a way that a request passes and its answer does not, or comes later. */

import { connect, createServer, type Socket } from "node:net";

export interface TestProxy {
  readonly endpoint: string;
  /** Ends every connection; new ones are accepted unless `refusing`. */
  cut(): void;
  /** While set, new connections are ended at once. */
  refusing: boolean;
  /** While set, what the client sends is not passed on. */
  holdingRequests: boolean;
  /** While set, the answers are dropped. */
  losingAnswers: boolean;
  /** Answers wait on connections over which the client now sends this text. Resolves when the first of them is there. */
  holdAnswersTo(text: string): Promise<void>;
  /** Passes on what waits. */
  releaseAnswers(): void;
  /** How many bytes the client has sent. */
  readonly sent: number;
  close(): Promise<void>;
}

export async function startTestProxy(target: string, host = "127.0.0.1"): Promise<TestProxy> {
  const { hostname, port, protocol } = new URL(target);
  const open = new Set<Socket>();
  let sent = 0;
  let held: { readonly text: string; readonly onAnswer: () => void; readonly releases: (() => void)[] } | undefined;
  const server = createServer((client) => {
    if (proxy.refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}); // the close that follows says enough
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let waiting: Buffer[] | undefined;
    client.on("data", (chunk) => {
      sent += chunk.length;
      if (waiting === undefined && held !== undefined && chunk.includes(held.text)) {
        const answers: Buffer[] = [];
        waiting = answers;
        held.releases.push(() => {
          waiting = undefined;
          client.write(Buffer.concat(answers));
        });
      }
      if (!proxy.holdingRequests) upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (proxy.losingAnswers) return;
      if (waiting === undefined) {
        client.write(chunk);
      } else {
        waiting.push(chunk);
        held?.onAnswer();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address() as { port: number }; // a TCP server has one
  const proxy = {
    endpoint: `${protocol}//${host}:${address.port}`,
    refusing: false,
    holdingRequests: false,
    losingAnswers: false,
    holdAnswersTo(text: string): Promise<void> {
      return new Promise((onAnswer) => {
        held = { text, onAnswer, releases: [] };
      });
    },
    releaseAnswers() {
      for (const release of held?.releases ?? []) release();
      held = undefined;
    },
    get sent() {
      return sent;
    },
    cut() {
      for (const socket of open) socket.destroy();
    },
    async close() {
      proxy.refusing = true;
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
