/** The log of a container, as lines, text or bytes. */

import { checkOptions, count, filled, flag, type OptionShape } from "../../base/check-options.ts";
import type { Sender } from "../../client/requests/send.ts";
import { calling } from "../call-options.ts";
import type { LogOptions, Logs } from "./contract.ts";

const shape: OptionShape<LogOptions> = {
  ...calling,
  container: filled,
  follow: flag,
  previous: flag,
  sinceSeconds: count(1),
  sinceTime: filled,
  tailLines: count(0),
  limitBytes: count(1),
  timestamps: flag,
};

/** `pathOf` throws if the target is none: the question is asked when the log is read. */
export function openLogs(send: Sender, pathOf: () => string, options: LogOptions = {}): Logs {
  const open = async () => {
    checkOptions("logs", options, shape);
    const { signal, tailLines, ...query } = options;
    // A query leaves out what is empty, and none of the lines is something else than all.
    const asked = { ...query, tailLines: tailLines === undefined ? undefined : String(tailLines) };
    return send.open(pathOf(), { query: asked, accept: "*/*", signal });
  };
  return {
    async *[Symbol.asyncIterator]() {
      const { body } = await open();
      if (body !== null) yield* linesOf(body);
    },
    text: async () => (await open()).text(),
    stream: async () => (await open()).body ?? new Response("").body ?? new ReadableStream(),
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
