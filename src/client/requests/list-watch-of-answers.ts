/** List and watch of a resource in the representation that the caller chooses, such as a Table: an answer is held whole, for a page of a list or for an event. */

import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../machinery/json/json-value.ts";
import type {
  CachedObject,
  CachedObjectEvent,
  ListQuery,
  ListWatch,
  ResourceAddress,
  WatchQuery,
} from "../contract.ts";
import { collectionPath, type RequestQuery, withQuery } from "./address.ts";
import { UnexpectedAnswer } from "./refusals.ts";
import type { Sender } from "./send.ts";
import { watchEvents } from "./watch-events.ts";

interface FollowedAnswers {
  readonly send: Sender;
  readonly address: ResourceAddress;
  /** "": all. */
  readonly namespace: string;
  /** Selectors, and what else decides which objects are there. */
  readonly query: RequestQuery;
  readonly accept: string;
  /** How many objects a page has. */
  readonly pageItems: number;
  /** A list ends with the page that reaches this. */
  readonly itemsMax: number;
}

/** Watch lists are not asked for: a page of a list is one answer. */
export function listWatchOfAnswers(followed: FollowedAnswers): ListWatch<JsonObject> {
  const { send, address, accept } = followed;
  const path = collectionPath(address, followed.namespace);
  let items = 0;
  return {
    address,
    async list({ continue: token = "", signal }: ListQuery = {}) {
      if (token === "") items = 0;
      const query = { ...followed.query, limit: followed.pageItems, continue: token };
      const answer = await send.json(path, { query, accept, signal });
      if (!isObject(answer))
        throw new UnexpectedAnswer(`GET ${path}`, `a list of ${address.resource}`, JSON.stringify(answer) ?? "");
      items += listAt(answer, "rows").length + listAt(answer, "items").length;
      return {
        items: [new Answer(answer)],
        resourceVersion: textAt(metadataOf(answer), "resourceVersion"),
        continue: items < followed.itemsMax ? textAt(metadataOf(answer), "continue") : "",
      };
    },
    async *watch({ resourceVersion, timeoutSeconds, bookmarks, signal }: WatchQuery = {}) {
      const asked = { watch: true, allowWatchBookmarks: bookmarks, resourceVersion, timeoutSeconds };
      const watched = withQuery(path, { ...followed.query, ...asked });
      for await (const { type, object } of watchEvents<JsonObject>(send, watched, { accept, signal })) {
        const event: CachedObjectEvent<JsonObject> = {
          type,
          held: new Answer(object),
          resourceVersion: versionOf(object),
        };
        yield event;
      }
    },
  };
}

class Answer implements CachedObject<JsonObject> {
  readonly namespace = "";
  readonly name = "";
  readonly labels: ReadonlyMap<string, string> = new Map();
  readonly #answer: JsonObject;

  constructor(answer: JsonObject) {
    this.#answer = answer;
  }
  get revision(): string {
    return versionOf(this.#answer);
  }
  object(): JsonObject {
    return this.#answer;
  }
}

/** The version of the object in the one row of a Table, or of an object or a list. */
const versionOf = (answer: JsonObject): string =>
  textAt(metadataOf(objectAt(listAt(answer, "rows")[0], "object")), "resourceVersion") ||
  textAt(metadataOf(answer), "resourceVersion");

const metadataOf = (answer: Readonly<JsonObject> | undefined) => objectAt(answer, "metadata");
