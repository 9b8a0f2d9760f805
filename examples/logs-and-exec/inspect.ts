// How do I look into a pod: what it logs, and what a command in it says?
import { type Client, Pod } from "orch/client";

/** The last lines of a pod, and what a command in it answered. */
export async function inspect(client: Client, name: string, command: readonly string[]) {
  const pods = client.of(Pod);
  const lines: string[] = [];
  for await (const line of pods.logs(name, { tailLines: 2 })) lines.push(line);
  await using running = await pods.exec(name, command);
  const { stdout, exitCode } = await running.output();
  return { lines, stdout, exitCode };
}
