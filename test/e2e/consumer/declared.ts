/** What a program of several files exports, which `declaration: true` has to write down. */

import {
  type Client,
  ConfigMap,
  connect,
  controller,
  createWebhook,
  Deployment,
  defineResource,
  field,
  Pod,
  type Static,
  watch,
} from "orch/client";

export const spec = field.object({
  size: field.int32().atLeast(1).default(3),
  color: field.optional(field.oneOf(["red", "blue"])),
});
export const Widget = defineResource({
  group: "example.com",
  version: "v2",
  kind: "Widget",
  resource: "widgets",
  fields: {
    spec,
    status: field.optional(field.object({ conditions: field.optional(field.conditionList()) })),
  },
  scale: { spec: ".spec.size", status: ".spec.size" },
  versions: { v1: { fields: { spec: field.object({ size: field.int32() }) } } },
});
export type Widget = Static<typeof Widget>;

export const sized = controller({
  for: Widget,
  watches: [watch(ConfigMap, ({ metadata: { namespace, name } }) => [`${namespace}/${name}`])],
  async reconcile({ object, client, requeueAfter }) {
    const size: number = object.spec.size;
    const uid: string = object.metadata.uid;
    await client.of(Widget).status.patch(object, { status: { conditions: [] } });
    if (size > 0 && uid !== "") requeueAfter(60_000);
  },
});
export const hook = createWebhook<Widget>({ validate: ({ operation }) => void operation });
export const open = () => connect({ namespace: "shop" });
export const informersOf = (client: Client) => {
  const informers = client.informers();
  return {
    pods: informers.of(Pod),
    byNode: informers.of(Pod).index("node", ({ spec: { nodeName } = {} }) => [nodeName ?? ""]),
  };
};
export const widgets = (client: Client) => client.of(Widget);
export const read = async (client: Client) => (await client.of(Deployment).get("web")).metadata;
export const scaled = async (client: Client) => client.of(Deployment).scale.set("web", 3);
export const events = (client: Client) => client.of(ConfigMap).watch({ bookmarks: true });
