/**
 * What the containers of a pod answer to `exec` and `port-forward`, declared by its annotations or by a stage:
 *
 *   simulation.orch.io/exec:  {"pg_isready": "accepting connections\n", "false": {"exitCode": 1, "stderr": "no\n"}}
 *   simulation.orch.io/ports: {"80": {"http": "hello"}, "5432": {"send": "welcome\n"}, "81": "refuse", "8443": {"forward": "127.0.0.1:8443"}}
 *
 * What is not declared echoes.
 */

import type { Pod } from "../../api/core/v1/pod.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { jsonTable } from "../json-table.ts";

const execAnnotation = "simulation.orch.io/exec";
const portsAnnotation = "simulation.orch.io/ports";

interface CommandAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

type PortAnswer =
  /** What arrives is sent back, in HTTP to those who speak HTTP. */
  | { readonly at: "echo" }
  /** Nothing listens there. */
  | { readonly at: "refuse" }
  /** A text is sent, and the connection is closed. */
  | { readonly at: "send"; readonly text: string }
  /** Each request of HTTP/1.1 gets this body. */
  | { readonly at: "http"; readonly body: string }
  /** A program on this machine answers: "127.0.0.1:8443". */
  | { readonly at: "forward"; readonly target: string };

/** The declared answer to a command: by its whole line, by its first word, or by "*"; undefined: none is declared. */
export function commandAnswer(pod: Pod, words: readonly string[]): CommandAnswer | undefined {
  const table = tableOf(pod, execAnnotation);
  const given = [words.join(" "), words[0] ?? "", "*"].find((key) => Object.hasOwn(table, key));
  if (given === undefined) return undefined;
  const answer = table[given];
  if (!isObject(answer)) return { stdout: String(answer), stderr: "", exitCode: 0 };
  const code = Number(answer["exitCode"] ?? 0);
  return {
    stdout: String(answer["stdout"] ?? ""),
    stderr: String(answer["stderr"] ?? ""),
    exitCode: Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0,
  };
}

export function portAnswer(pod: Pod, port: number): PortAnswer {
  const answer = tableOf(pod, portsAnnotation)[String(port)];
  if (answer === "refuse") return { at: "refuse" };
  if (isObject(answer) && typeof answer["send"] === "string") return { at: "send", text: answer["send"] };
  if (isObject(answer) && typeof answer["http"] === "string") return { at: "http", body: answer["http"] };
  if (isObject(answer) && typeof answer["forward"] === "string") return { at: "forward", target: answer["forward"] };
  return { at: "echo" };
}

const tableOf = ({ metadata }: Pod, annotation: string) => jsonTable(metadata.annotations?.[annotation]);
