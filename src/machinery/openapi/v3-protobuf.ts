/** An OpenAPI v3 document in protobuf, which command-line tools request: it is smaller and faster to read. */

import type { Steps } from "../../base/time-slice.ts";
import { encodeProtobuf } from "../codec/protobuf.ts";
import { methods } from "./document.ts";
import { documentMessage } from "./v3-messages.ts";

type Message = Record<string, unknown>;
type Json = Readonly<Record<string, unknown>>;

/** `document` is the result of `buildOpenApiV3`, or the same read back from JSON. */
export function* encodeOpenApiV3Protobuf(document: Json): Steps<Buffer> {
  const { openapi, info } = document;
  const components = asJson(document["components"]);
  const paths = entries(asJson(document["paths"]), pathMessage);
  yield;
  const schemas: Message[] = [];
  for (const [name, schema] of Object.entries(asJson(components["schemas"]))) {
    schemas.push({ name, value: choiceMessage(asJson(schema)) });
    yield;
  }
  const securitySchemes = entries(asJson(components["securitySchemes"]), (scheme) => ({ scheme }));
  return encodeProtobuf(documentMessage, {
    openapi,
    info,
    paths: { entries: paths },
    components: { schemas: { entries: schemas }, securitySchemes: { entries: securitySchemes } },
  });
}

/** The parts of a document are objects where they are present, by the types they were built with. */
const asJson = (value: unknown): Json => (value ?? {}) as Json;
const asList = (value: unknown): readonly Json[] | undefined => value as readonly Json[] | undefined; // as above

function entries(record: Json, convert: (value: Json) => Message): Message[] {
  return Object.entries(record).map(([name, value]) => ({ name, value: convert(asJson(value)) }));
}

function pathMessage(item: Json): Message {
  const message: Message = { parameters: asList(item["parameters"])?.map(parameterMessage) };
  for (const method of methods) {
    const operation = item[method];
    if (operation !== undefined) message[method] = operationMessage(asJson(operation));
  }
  return message;
}

function operationMessage(operation: Json): Message {
  const { tags, description, operationId, deprecated, parameters, requestBody, responses } = operation;
  return {
    tags,
    description,
    operationId,
    deprecated,
    parameters: asList(parameters)?.map(parameterMessage),
    requestBody: requestBody === undefined ? undefined : { body: contentMessage(asJson(requestBody)) },
    responses: { entries: entries(asJson(responses), (response) => ({ response: contentMessage(response) })) },
    extension: extensionsOf(operation),
  };
}

function parameterMessage({ schema, ...rest }: Json): Message {
  return { parameter: { ...rest, schema: choiceMessage(asJson(schema)) } };
}

/** A request body or a response. */
function contentMessage({ content, ...rest }: Json): Message {
  if (content === undefined) return rest;
  return { ...rest, content: { entries: entries(asJson(content), ({ schema }) => ({ schema: choice(schema) })) } };
}

const choice = (schema: unknown): Message | undefined =>
  schema === undefined ? undefined : choiceMessage(asJson(schema));

function choiceMessage(schema: Json): Message {
  const { $ref } = schema;
  return $ref === undefined ? { schema: schemaMessage(schema) } : { reference: { $ref } };
}

function schemaMessage(schema: Json): Message {
  const { items, properties, additionalProperties, allOf, oneOf, anyOf, not, enum: values, default: fallback } = schema;
  const plain: Message = {};
  for (const name of plainKeywords) if (schema[name] !== undefined) plain[name] = schema[name];
  return {
    ...plain,
    enum: Array.isArray(values) ? values.map(anyMessage) : undefined,
    allOf: asList(allOf)?.map(choiceMessage),
    oneOf: asList(oneOf)?.map(choiceMessage),
    anyOf: asList(anyOf)?.map(choiceMessage),
    not: not === undefined ? undefined : schemaMessage(asJson(not)),
    items: items === undefined ? undefined : { schema: (Array.isArray(items) ? items : [items]).map(choiceMessage) },
    properties: properties === undefined ? undefined : { entries: entries(asJson(properties), choiceMessage) },
    additionalProperties:
      typeof additionalProperties === "boolean"
        ? { boolean: additionalProperties }
        : additionalProperties && { schema: choiceMessage(asJson(additionalProperties)) },
    default: defaultMessage(fallback),
    extension: extensionsOf(schema),
  };
}

const plainKeywords = [
  ...["nullable", "title", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength"],
  ...["minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required"],
  ...["type", "description", "format"],
];

/** Only these three kinds of defaults have a form in the message. */
function defaultMessage(value: unknown): Message | undefined {
  switch (typeof value) {
    case "number":
      return { number: value };
    case "boolean":
      return { boolean: value };
    case "string":
      return { string: value };
    default:
      return undefined;
  }
}

function extensionsOf(value: Json): Message[] {
  return Object.entries(value).flatMap(([name, one]) =>
    name.startsWith("x-") ? { name, value: anyMessage(one) } : [],
  );
}

/** Any value is sent as YAML, and JSON is YAML. */
const anyMessage = (value: unknown): Message => ({ yaml: JSON.stringify(value) });
