/** The kinds of addresses that a node can have. */

/** In the order of preference of v1.21 (--orchlet-preferred-address-types). */
export const addressTypesDefault: readonly string[] = [
  "Hostname",
  "InternalDNS",
  "InternalIP",
  "ExternalDNS",
  "ExternalIP",
];
