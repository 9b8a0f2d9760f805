/** `server.workspace()`: one workspace of a server inside another program. */

import { clientConfiguration, printClientConfiguration } from "../../client/config/print.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWaits, type ServerWaits } from "../../testkit/waits.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { workspacesPath } from "../workspaces/target.ts";
import type { Inner } from "./inner.ts";
import type { OrchServer, ServerWorkspace } from "./options.ts";

interface Parts {
  readonly server: OrchServer;
  readonly name: string;
  readonly type: string;
  /** A reset makes another one. */
  inner(): Inner;
  hold(): () => void;
}

/** The first one of a type takes as long as a server does: seconds on a machine with much else to do. */
export const makingMsMax = 60_000;
const collection = "/apis/tenancy.orch.io/v1alpha1/workspaces";

export async function openServerWorkspace({ server, name, type, inner, hold }: Parts): Promise<ServerWorkspace> {
  await ensure(server, name, type);
  const made = await server.until("Workspace", name, isMade, { timeoutMs: makingMsMax });
  const { phase, message = "" } = statusOf(made);
  if (phase !== "Ready" && message !== "") throw new Error(`workspace: "${name}" cannot be made: ${message}`);
  const base = `${workspacesPath}${name}`;
  const fetchOf =
    (fetch: OrchServer["fetch"]): OrchServer["fetch"] =>
    (input, init) => {
      if (typeof input === "object" && "method" in input)
        return fetch(new Request(new URL(base + pathOf(input.url), "http://in-process"), input), init);
      return fetch(base + pathOf(String(input)), init);
    };
  /** The workspace stays open meanwhile. */
  const within = async <T>(wait: (waits: ServerWaits) => Promise<T>): Promise<T> => {
    const { workspaces, clock, virtual } = inner();
    const found = workspaces?.find(name);
    if (workspaces === undefined || found === undefined) throw new Error(`there is no workspace ${name}`);
    const open = await workspaces.use(found);
    open.work();
    const queues = () => open.queues;
    const started = new Promise<void>((resolve) => setImmediate(resolve));
    open.active++;
    try {
      return await wait(createWaits({ server: open.server, clock, virtual, started, queues, hold }));
    } finally {
      open.active--;
    }
  };
  return {
    name,
    fetch: fetchOf(server.fetch),
    fetchAs: (user) => fetchOf(server.fetchAs(user)),
    async clientConfig() {
      const root = await server.clientConfig();
      const access = { ...root, server: root.server + base };
      const vocabulary = inner().server.catalog.environment.vocabulary;
      const kubeconfig = clientConfiguration(access, vocabularyOf(vocabulary.name));
      return { ...access, kubeconfig, text: printClientConfiguration(kubeconfig) };
    },
    until: (...args) => within((waits) => waits.until(...args)),
    untilGone: (...args) => within((waits) => waits.untilGone(...args)),
    settled: (options) => within((waits) => waits.settled(options)),
  };
}

const statusOf = (object: ApiObject) => (object["status"] ?? {}) as { phase?: string; message?: string };
const isMade = (object: ApiObject) => statusOf(object).phase === "Ready" || Boolean(statusOf(object).message);

async function ensure({ fetch }: OrchServer, name: string, type: string): Promise<void> {
  const body = JSON.stringify({
    apiVersion: "tenancy.orch.io/v1alpha1",
    kind: "Workspace",
    metadata: { name },
    ...(type !== "" && { spec: { type } }),
  });
  const answer = await fetch(collection, { method: "POST", body, headers: { "content-type": "application/json" } });
  if (answer.ok || answer.status === 409) return;
  const { message } = (await answer.json()) as { message?: string };
  throw new Error(`workspace: ${message ?? answer.status}`);
}

/** Only the path and the query of a URL count. */
function pathOf(url: string): string {
  if (url.startsWith("/")) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
