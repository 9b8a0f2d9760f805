/** Reads through the console of `orch up`, as its page does. */

import { request } from "node:http";

interface ConsoleReader {
  /** The status of the answer, once all of it has come. */
  get(path: string): Promise<number>;
}

/** `output`: what the server has printed, with the link of the console. */
export function createConsoleReader(output: string): ConsoleReader {
  const [, port, secret] = /http:\/\/127\.0\.0\.1:([0-9]+)\/#secret=([\w-]+)/.exec(output) ?? [];
  if (port === undefined) throw new Error("the console is not open yet");
  return {
    get: (path) =>
      new Promise((done, fail) => {
        const headers = { "x-console-secret": secret, accept: "application/json" };
        const call = request({ host: "127.0.0.1", port, path: `/server${path}`, headers }, (answer) => {
          answer.resume();
          answer.on("end", () => done(answer.statusCode ?? 0));
          answer.on("error", fail);
        });
        call.on("error", fail);
        call.end();
      }),
  };
}
