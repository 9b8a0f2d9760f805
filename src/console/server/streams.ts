/** Shells and forwarded ports, through the program that serves the page. */

import { isJson, type Json, text } from "./json.ts";

/** As the program numbers what a message is about. */
const channels = { input: 0, output: 1, ending: 3, size: 4 } as const;

interface ShellTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly words: readonly string[];
}

interface ShellFollower {
  opened(): void;
  output(bytes: Uint8Array): void;
  /** Once, with how it ended, in words. */
  ended(how: string): void;
}

export interface Shell {
  send(text: string): void;
  resize(columns: number, rows: number): void;
  close(): void;
}

interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export interface ForwardedPort extends ForwardTarget {
  readonly id: number;
  /** On the machine of the program. */
  readonly local: number;
  /** Why the last connection failed; "": it did not. */
  readonly problem: string;
}

/** What the program can do beside requests. */
export interface Streams {
  openShell(target: ShellTarget, follower: ShellFollower): Shell;
  forwards(): Promise<readonly ForwardedPort[]>;
  forward(target: ForwardTarget): Promise<ForwardedPort>;
  endForward(id: number): Promise<void>;
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

export function createStreams(ask: Ask, secret: string): Streams {
  const json = async (path: string, init?: RequestInit): Promise<unknown> => {
    const answer = await ask(path, init);
    const body: unknown = await answer.json();
    if (!answer.ok) throw new Error(text(body, "message") || `the answer is ${answer.status}`);
    return body;
  };
  return {
    openShell: (target, follower) => openShell(target, secret, follower),
    async forwards() {
      const found = await json("forwards");
      return Array.isArray(found) ? found.filter(isJson).map(forwardOf) : [];
    },
    async forward(target) {
      const made = await json("forwards", { method: "POST", body: JSON.stringify(target) });
      return forwardOf(made as Json); // the program's own answer
    },
    async endForward(id) {
      await json(`forwards/${id}`, { method: "DELETE" });
    },
  };
}

const forwardOf = (one: Json): ForwardedPort => ({
  id: Number(one["id"]),
  namespace: text(one, "namespace"),
  pod: text(one, "pod"),
  port: Number(one["port"]),
  local: Number(one["local"]),
  problem: text(one, "problem"),
});

function openShell({ namespace, pod, container, words }: ShellTarget, secret: string, follower: ShellFollower): Shell {
  const query = new URLSearchParams([
    ["namespace", namespace],
    ["pod", pod],
    ["container", container],
    ...words.map((word): [string, string] => ["command", word]),
  ]);
  const url = new URL(`shell?${query}`, location.href);
  url.protocol = "ws:";
  url.hash = "";
  // A page cannot add a header here; a protocol is in no address and in no log.
  const socket = new WebSocket(url, ["stream.console", `secret.${secret}`]);
  socket.binaryType = "arraybuffer";
  let how = "";
  const encoder = new TextEncoder();
  const send = (channel: number, what: string) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const bytes = encoder.encode(what);
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    socket.send(message);
  };
  socket.onopen = () => follower.opened();
  socket.onmessage = ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer); // the type that is set above
    if (bytes[0] === channels.output) follower.output(bytes.subarray(1));
    else if (bytes[0] === channels.ending) how = endingText(new TextDecoder().decode(bytes.subarray(1)));
  };
  socket.onclose = () => follower.ended(how || "The connection was lost.");
  return {
    send: (typed) => send(channels.input, typed),
    resize: (columns, rows) => send(channels.size, JSON.stringify({ Width: columns, Height: rows })),
    close: () => socket.close(),
  };
}

function endingText(sent: string): string {
  const ending: unknown = JSON.parse(sent);
  const problem = text(ending, "problem");
  return problem === "" ? `It ended with ${text(ending, "exitCode")}.` : problem;
}
