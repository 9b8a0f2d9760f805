/** Asks the server that runs on this machine about itself, as its administrator where the folder has the certificate. */

import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";

/** How long the other side may take. */
export const answerMsMax = 3_000;
/** More than all checks of a server print. */
const answerBytesMax = 65_536;

interface ServerAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** The administrator's certificate and key of `orch up`. */
export interface Identity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Undefined: the folder has none, or this user must not read it. */
export async function readIdentity(pki: string): Promise<Identity | undefined> {
  try {
    return { cert: await readFile(join(pki, "admin.crt")), key: await readFile(join(pki, "admin.key")) };
  } catch {
    return undefined;
  }
}

/**
 * Undefined: no server answers, or not with HTTPS. Nothing secret is sent (a key never leaves the process), so any certificate of the
 * server is accepted.
 */
export function askServer(
  url: string,
  identity?: Identity,
  bytesMax = answerBytesMax,
): Promise<ServerAnswer | undefined> {
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, timeout: answerMsMax, agent: false as const, ...identity };
    const call = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > bytesMax) call.destroy();
      });
      answer.once("close", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    call.once("timeout", () => call.destroy());
    call.once("error", () => resolve(undefined));
    call.end();
  });
}
