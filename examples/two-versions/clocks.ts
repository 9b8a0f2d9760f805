// How do I write an operator whose resource has two versions? It works with the new one; users of the old one notice nothing.
import { controller, defineResource, field, type Static } from "orch/client";

/** v1 had one text, "3h"; v2 has a number. v1 stays in the store until every program knows v2. */
export const Clock = defineResource({
  group: "example.com",
  version: "v2",
  storage: "v1",
  kind: "Clock",
  resource: "clocks",
  fields: {
    spec: field.object({ hours: field.int32().atLeast(0) }),
    status: field.optional(field.object({ shown: field.optional(field.string()) })),
  },
  versions: {
    v1: {
      deprecated: "example.com/v1 Clock is deprecated; use example.com/v2",
      fields: {
        spec: field.object({ time: field.string() }),
        status: field.optional(field.object({ shown: field.optional(field.string()) })),
      },
      toHub: ({ spec, ...rest }) => ({ ...rest, spec: { hours: Number.parseInt(spec.time, 10) } }),
      fromHub: ({ spec, ...rest }) => ({ ...rest, spec: { time: `${spec.hours}h` } }),
    },
  },
});
export type Clock = Static<typeof Clock>;

export const clocks = controller({
  for: Clock,
  async reconcile({ object, client }) {
    const shown = `${String(object.spec.hours).padStart(2, "0")}:00`;
    if (object.status?.shown !== shown) await client.of(Clock).status.patch(object, { status: { shown } });
  },
});
