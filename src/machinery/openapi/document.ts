/** The parts of an OpenAPI v2 document that we write, as types. */

/** A JSON schema as OpenAPI v2 has it; extensions are members whose names begin with "x-". */
export interface OpenApiSchema {
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  required?: readonly string[];
  properties?: Readonly<Record<string, OpenApiSchema>>;
  additionalProperties?: OpenApiSchema | boolean;
  items?: OpenApiSchema;
  [extension: `x-${string}`]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "body";
  readonly description?: string;
  readonly required?: boolean;
  /** Not of a body. */
  readonly type?: string;
  readonly format?: string;
  readonly uniqueItems?: boolean;
  /** The schema of a body. */
  readonly schema?: OpenApiSchema;
}

export interface Response {
  readonly description: string;
  readonly schema?: OpenApiSchema;
}

export interface OpenApiOperation {
  readonly description: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
  readonly [extension: `x-${string}`]: unknown;
}

export const methods = ["get", "put", "post", "delete", "patch"] as const;
export type Method = (typeof methods)[number];

/** The operations of one path; `parameters` apply to all of them. */
export type PathItem = { [M in Method]?: OpenApiOperation } & { parameters?: readonly Parameter[] };

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

export interface OpenApiV2 {
  readonly swagger: "2.0";
  readonly info: DocumentInfo;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
  readonly securityDefinitions: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}
