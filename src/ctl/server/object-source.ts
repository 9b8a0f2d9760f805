/** One object as a source to follow: it is read by its name first, so that it is an error if it does not exist. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { type Followed, versionOf } from "./follow.ts";
import type { FollowedSource } from "./keep-following.ts";

interface ObjectQuery {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly accept: string;
  readonly labelSelector: string | undefined;
}

export function objectSource(context: Context, resource: DiscoveredResource, query: ObjectQuery): FollowedSource {
  const { namespace, name, accept, labelSelector } = query;
  const bookmarks = context.behaviour.resumesWatches ? true : undefined;
  let wasThere = false;
  const changes = (resourceVersion: string) => {
    const selection = { labelSelector, fieldSelector: `metadata.name=${name}`, resourceVersion };
    return context.session.watch(resource, { namespace, accept, bookmarks, ...selection });
  };
  async function* state(): AsyncGenerator<Followed> {
    try {
      const object = await context.session.read(resource, { namespace, name }, { accept });
      wasThere = true;
      yield { type: "PAGE", object, isLast: true };
      yield* changes(versionOf(object));
    } catch (error) {
      if (!wasThere || !isNotFound(error)) throw error;
      // It was deleted while the server was away, and may be created again.
      yield { type: "PAGE", object: { kind: "List", items: [] }, isLast: true };
      yield* changes("");
    }
  }
  return { state, changes };
}
