// How do I read thousands of objects and then follow them, without reading one twice? Pages first, then a watch from where they ended.
import { type Client, ConfigMap } from "orch/client";

/** Calls `found` for every object there is, page by page, and then for each that is written, until the signal. */
export async function follow(client: Client, found: (name: string) => void, signal: AbortSignal): Promise<void> {
  const maps = client.of(ConfigMap);
  const page = { labelSelector: "app=many", limit: 500, signal };
  let resourceVersion = "";
  for (let next: string | undefined; next !== ""; ) {
    const list = await maps.list({ ...page, continue: next }).all();
    for (const { metadata } of list.items) found(metadata.name);
    ({ continue: next, resourceVersion } = list);
  }
  for await (const { type, object } of maps.watch({ labelSelector: "app=many", resourceVersion, signal }))
    if (type !== "DELETED") found(object.metadata.name);
}
