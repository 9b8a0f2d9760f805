/** Reads and writes the number of replicas of any object that has the subresource scale, whatever its kind. */

import type { AnyObject, Client, Ref, ResourceAddress } from "../../../client/contract.ts";

export interface Scale extends AnyObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

/** A kind as other objects name it. */
interface KindName {
  /** "apps/v1"; absent or "v1": the core group. */
  readonly apiVersion?: string | undefined;
  readonly kind: string;
}

export interface ScaleClient {
  /** Where objects of the kind are; undefined: the server does not know it. */
  addressOf(name: KindName): Promise<ResourceAddress | undefined>;
  /** Whether objects of the kind can be scaled. */
  isScalable(address: ResourceAddress): Promise<boolean>;
  get(address: ResourceAddress, ref: Ref): Promise<Scale>;
  /** Fails when the object has changed since the scale was read. */
  update(address: ResourceAddress, ref: Ref, scale: Scale): Promise<Scale>;
}

interface Discovered {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

export function createScaleClient(client: Client): ScaleClient {
  async function discover(group: string, version: string): Promise<NonNullable<Discovered["resources"]>> {
    const response = await client.fetch(group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
    if (!response.ok) return [];
    const { resources = [] } = (await response.json()) as Discovered; // a discovery document
    return resources;
  }
  return {
    async addressOf({ apiVersion = "v1", kind }) {
      const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
      const resources = await discover(group, version);
      const found = resources.find((each) => each.kind === kind && !each.name.includes("/"));
      return found && { group, version, resource: found.name, kind, namespaced: found.namespaced };
    },
    async isScalable({ group, version, resource }) {
      return (await discover(group, version)).some(({ name }) => name === `${resource}/scale`);
    },
    get: (address, ref) => client.at(address).subresource<Scale>(ref, "scale"),
    update: (address, ref, scale) => client.at(address).subresource<Scale>(ref, "scale", scale, "PUT"),
  };
}
