/**
 * Whether a write has changed an object. A small list tells how far the server was before the first write to a type: an object that is
 * newer afterwards was changed. Reading each object before its write would be as many requests again.
 */

import type { DiscoveredResource } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { findObject } from "../input/targets.ts";
import { type Json, text } from "../json.ts";

interface Target {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

export class ChangesSince {
  readonly #context: Context;
  /** By type and namespace. */
  readonly #starts = new Map<string, Promise<bigint | undefined>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Called before the write; the result tells whether the object that the write is answered with was changed by it. */
  async watch(target: Target): Promise<(written: Json) => boolean> {
    const start = await this.#startOf(target);
    if (start !== undefined) {
      return (written) => {
        const version = numberOf(versionOf(written));
        return version === undefined || version > start;
      };
    }
    const before = versionOf(await findObject(this.#context, target));
    return (written) => versionOf(written) !== before;
  }

  #startOf({ resource, namespace }: Target): Promise<bigint | undefined> {
    const key = [resource.group, resource.version, resource.resource, namespace].join(" ");
    const known = this.#starts.get(key) ?? this.#readStart(resource, namespace);
    this.#starts.set(key, known);
    return known;
  }

  /** Undefined: the user must not list, or versions are not numbers. */
  async #readStart(resource: DiscoveredResource, namespace: string): Promise<bigint | undefined> {
    try {
      return numberOf((await this.#context.at(resource).list({ namespace, limit: 1 })).resourceVersion);
    } catch (error) {
      if (hasReason(error, "Forbidden", "MethodNotAllowed")) return undefined;
      throw error;
    }
  }
}

const versionOf = (object: Json | undefined): string => text(object, "metadata", "resourceVersion");

const numberOf = (version: string): bigint | undefined => (/^[0-9]+$/.test(version) ? BigInt(version) : undefined);
