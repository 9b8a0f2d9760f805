/** The OpenAPI v2 document in protobuf, which command-line tools request: it is smaller and faster to read. */

import type { Steps } from "../../base/time-slice.ts";
import { encodeProtobuf } from "../codec/protobuf.ts";
import type { OpenApiOperation, OpenApiSchema, OpenApiV2, Parameter, PathItem, Response } from "./document.ts";
import { methods } from "./document.ts";
import { documentMessage } from "./v2-messages.ts";

type Message = Record<string, unknown>;

/** `document` is the result of `buildOpenApiV2`, or the same read back from JSON. */
export function* encodeOpenApiV2Protobuf(document: OpenApiV2): Steps<Buffer> {
  const paths = { entries: entries(document.paths, pathMessage) };
  yield;
  const definitions = { entries: entries(document.definitions, schemaMessage) };
  yield;
  return encodeProtobuf(documentMessage, {
    swagger: document.swagger,
    info: document.info,
    paths,
    definitions,
    securityDefinitions: { entries: entries(document.securityDefinitions, (apiKey) => ({ apiKey })) },
    security: document.security.map((requirement) => ({ entries: entries(requirement, (value) => ({ value })) })),
  });
}

/** What one more kind adds to the document: a message that parsers merge with others that are concatenated to it. */
export function encodeOpenApiV2Fragment({ paths, definitions }: Pick<OpenApiV2, "paths" | "definitions">): Buffer {
  return encodeProtobuf(documentMessage, {
    paths: { entries: entries(paths, pathMessage) },
    definitions: { entries: entries(definitions, schemaMessage) },
  });
}

/** Encodes in steps, since a fragment may be large. */
export function* openApiV2FragmentSteps({
  paths,
  definitions,
}: Pick<OpenApiV2, "paths" | "definitions">): Steps<Buffer> {
  const message = {
    paths: { entries: entries(paths, pathMessage) },
    definitions: { entries: entries(definitions, schemaMessage) },
  };
  yield;
  return encodeProtobuf(documentMessage, message);
}

function entries<T>(record: Readonly<Record<string, T>>, convert: (value: T) => Message): Message[] {
  return Object.keys(record).map((name) => ({ name, value: convert(record[name] as T) })); // by its own name
}

function pathMessage(item: PathItem): Message {
  const message: Message = {};
  if (item.parameters !== undefined) message["parameters"] = item.parameters.map(parameterMessage);
  for (const method of methods) {
    const operation = item[method];
    if (operation !== undefined) message[method] = operationMessage(operation);
  }
  return message;
}

function operationMessage(operation: OpenApiOperation): Message {
  const { tags, description, operationId, produces, consumes, schemes, deprecated, parameters, responses } = operation;
  return {
    tags,
    description,
    operationId,
    produces,
    consumes,
    schemes,
    deprecated,
    parameters: parameters?.map(parameterMessage),
    responses: { entries: entries(responses, responseMessage) },
    vendorExtension: extensionsOf(operation),
  };
}

function parameterMessage(parameter: Parameter): Message {
  if (parameter.in === "body") {
    const { schema, ...rest } = parameter;
    return { parameter: { body: { ...rest, ...(schema === undefined ? {} : { schema: schemaMessage(schema) }) } } };
  }
  return { parameter: { nonBody: { [parameter.in]: parameter } } };
}

function responseMessage({ description, schema }: Response): Message {
  return {
    response: { description, ...(schema === undefined ? {} : { schema: { schema: schemaMessage(schema) } }) },
  };
}

function schemaMessage(schema: OpenApiSchema): Message {
  const { $ref, format, description, maximum, minimum, required, type, items, properties, additionalProperties } =
    schema;
  // Most of the properties of a custom kind are like this.
  if (isOnlyTyped(schema)) return { type: { value: [type] } };
  return {
    $ref,
    format,
    description,
    maximum,
    minimum,
    required,
    default: schema.default === undefined ? undefined : anyMessage(schema.default),
    enum: schema.enum?.map(anyMessage),
    type: type === undefined ? undefined : { value: [type] },
    items: items && { schema: [schemaMessage(items)] },
    properties: properties && { entries: entries(properties, schemaMessage) },
    additionalProperties:
      typeof additionalProperties === "object" ? { schema: schemaMessage(additionalProperties) } : undefined,
    vendorExtension: extensionsOf(schema),
  };
}

function isOnlyTyped(schema: OpenApiSchema): boolean {
  for (const keyword in schema) if (keyword !== "type") return false;
  return schema.type !== undefined;
}

function extensionsOf(value: object): Message[] {
  const extensions: Message[] = [];
  for (const name of Object.keys(value))
    if (name.startsWith("x-")) extensions.push({ name, value: anyMessage((value as Message)[name]) });
  return extensions;
}

/** Any value is sent as YAML, and JSON is YAML. */
function anyMessage(value: unknown): Message {
  return { yaml: JSON.stringify(value) };
}
