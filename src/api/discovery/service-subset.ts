/** The addresses behind a service, whichever objects list them. */

/** Addresses that are ready, each with all of the ports. */
export interface ServiceSubset {
  readonly addresses: readonly string[];
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

/** Undefined: no object lists the endpoints of this service. */
export type ServiceSubsets = (service: {
  readonly namespace: string;
  readonly name: string;
}) => readonly ServiceSubset[] | undefined;
