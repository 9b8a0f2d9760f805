/** The encodings of this server, and the views that a client may request instead of the object itself. */

/** YAML is for people, protobuf for programs that count bytes. JSON is the default and comes first. */
export type Encoding = "json" | "yaml" | "protobuf";
/** "": the object itself. */
export type View = "" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

/** How one answer is encoded. Shared between requests; compare by identity or by `key`. */
export interface Representation {
  readonly encoding: Encoding;
  readonly view: View;
  /** The version of the group of the views: "v1" or "v1beta1". */
  readonly viewVersion: string;
  readonly pretty: boolean;
}

export const plainJson: Representation = { encoding: "json", view: "", viewVersion: "", pretty: false };

/** The encodings of one endpoint with their media types, in order of preference. */
export type Offer = readonly { readonly encoding: Encoding; readonly type: string }[];

export function offerAll(protobufMediaType: string): Offer {
  return [
    { encoding: "json", type: "application/json" },
    { encoding: "yaml", type: "application/yaml" },
    { encoding: "protobuf", type: protobufMediaType },
  ];
}
