/** OpenAPI v3, one document for each group version and each path of discovery, derived from the v2 document of the same kinds. */

import type { Steps } from "../../base/time-slice.ts";
import { setOwn } from "../json/json-value.ts";
import type { Catalog } from "../schema/catalog.ts";
import { definitionsPath } from "./definitions.ts";
import type { DocumentInfo, OpenApiOperation, OpenApiSchema, OpenApiV2, Parameter, PathItem } from "./document.ts";
import { methods } from "./document.ts";
import { buildDiscoveryPart, buildOpenApiPart } from "./v2.ts";

type Json = Record<string, unknown>;

const schemasPath = "#/components/schemas/";

export function* buildOpenApiV3(catalog: Catalog, group: string, version: string, info: DocumentInfo): Steps<Json> {
  return yield* convert(yield* buildOpenApiPart(catalog, group, version, info));
}

/** The document of one path of discovery, such as "/apis/apps/". Undefined: it does not exist. */
export function* buildDiscoveryV3(catalog: Catalog, path: string, info: DocumentInfo): Steps<Json | undefined> {
  const part = buildDiscoveryPart(catalog, path, info);
  return part === undefined ? undefined : yield* convert(part);
}

function* convert({ paths, definitions, info }: OpenApiV2): Steps<Json> {
  const schemas: Json = {};
  for (const [name, definition] of Object.entries(definitions)) {
    yield;
    schemas[name] = convertSchema(definition);
  }
  yield;
  return {
    openapi: "3.0.0",
    info,
    paths: mapValues(paths, convertPath),
    components: {
      schemas,
      securitySchemes: {
        BearerToken: { type: "apiKey", description: "A bearer token", name: "authorization", in: "header" },
      },
    },
  };
}

function convertPath(item: PathItem): Json {
  const converted: Json = {};
  if (item.parameters !== undefined) converted["parameters"] = item.parameters.map(convertParameter);
  for (const method of methods) {
    const operation = item[method];
    if (operation !== undefined) converted[method] = convertOperation(operation);
  }
  return converted;
}

function convertOperation({ consumes, produces, schemes: _, parameters, responses, ...rest }: OpenApiOperation): Json {
  const request = parameters?.find((parameter) => parameter.in === "body");
  const others = parameters?.filter((parameter) => parameter !== request);
  return {
    ...rest,
    ...(others === undefined || others.length === 0 ? {} : { parameters: others.map(convertParameter) }),
    ...(request?.schema === undefined
      ? {}
      : { requestBody: { required: request.required === true, content: content(consumes, request.schema) } }),
    responses: mapValues(responses, ({ description, schema }) => ({
      description,
      ...(schema === undefined ? {} : { content: content(produces, schema) }),
    })),
  };
}

function content(types: readonly string[], schema: OpenApiSchema): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: convertSchema(schema) }]));
}

function convertParameter({ type, format, uniqueItems, schema: _, ...rest }: Parameter): Json {
  return {
    ...rest,
    schema: {
      ...(type === undefined ? {} : { type }),
      ...(format === undefined ? {} : { format }),
      ...(uniqueItems === undefined ? {} : { uniqueItems }),
    },
  };
}

/** In v3 a reference must not have siblings, so they are moved to a schema around it. */
function convertSchema({ $ref, items, properties, additionalProperties, ...rest }: OpenApiSchema): Json {
  if ($ref !== undefined) {
    const reference = { $ref: $ref.replace(definitionsPath, schemasPath) };
    return Object.keys(rest).length === 0 ? reference : { ...rest, allOf: [reference] };
  }
  const converted: Json = { ...rest };
  if (rest.format === "int-or-string") {
    delete converted["type"];
    converted["oneOf"] = [{ type: "integer" }, { type: "string" }];
  }
  if (items !== undefined) converted["items"] = convertSchema(items);
  if (properties !== undefined) converted["properties"] = mapValues(properties, convertSchema);
  if (typeof additionalProperties === "boolean") converted["additionalProperties"] = additionalProperties;
  else if (additionalProperties !== undefined) converted["additionalProperties"] = convertSchema(additionalProperties);
  return converted;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  const result: Record<string, U> = {};
  for (const key of Object.keys(record)) setOwn(result, key, change(record[key] as T)); // by its own name
  return result;
}
