/** `import { field } from "orch/client"`: the words in which `defineResource` describes members. */

export {
  bool,
  bytes,
  double,
  duration,
  int32,
  int64,
  intOrString,
  json,
  list,
  map,
  optional,
  quantity,
  string,
  time,
} from "../../machinery/schema/build.ts";
export { conditionList, object, oneOf } from "./fields.ts";
