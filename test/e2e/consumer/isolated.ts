/** What a program exports under `isolatedDeclarations`: each type is written down, and can be. */

import {
  type ApiObject,
  type Client,
  ConfigMap,
  type Controller,
  connect,
  controller,
  createWebhook,
  type DefinedResource,
  defineResource,
  type Field,
  field,
  type Namespaced,
  type ObjectMeta,
  type Resource,
  type Sent,
  type ServedKind,
  type Webhook,
} from "orch/client";

export interface Widget {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: { size: number; color?: "red" | "blue" };
  status?: { ready?: boolean };
}
export const size: Field<number, "required"> = field.int32().atLeast(1);
export const Widget: DefinedResource<Widget, {}, Namespaced<"status">> = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  fields: {
    spec: field.object({ size, color: field.optional(field.oneOf(["red", "blue"])) }),
    status: field.optional(field.object({ ready: field.optional(field.bool()) })),
  },
});
export const Toy: ServedKind<ApiObject, Namespaced> = {
  group: "example.com",
  version: "v1",
  kind: "Toy",
  resource: "toys",
  scope: "Namespaced",
};
export const wanted: Sent<typeof Widget> = { metadata: { name: "one" }, spec: { size: 1 } };
export const sized: Controller = controller({
  for: Widget,
  async reconcile({ object, client }) {
    if (object.spec.size > 1) await client.of(ConfigMap).delete(object);
  },
});
export const hook: Webhook = createWebhook<Widget>({ validate: ({ operation }) => void operation });
export const open = (): Promise<Client> => connect();
export const widgets = (client: Client): Resource<Widget, Namespaced<"status">> => client.of(Widget);
