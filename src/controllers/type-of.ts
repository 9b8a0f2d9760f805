/** The type of a served resource as objects carry it. */

import type { ResourceAddress } from "../client/contract.ts";

export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

export const typeOf = ({ group, version, kind }: ResourceAddress): ObjectType => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
});
