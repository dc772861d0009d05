// JSON merge patch, RFC 7396 section 2. Parts that the patch does not name stay the same objects, so that the page redraws
// only what changed.
import { isObject, type Json, type JsonObject } from "./view";

/** `target` with `patch` applied; `target` itself is left alone. */
export function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === "__proto__") continue; // assigning it would change the object's kind instead of a member
    if (value === null) delete result[name];
    else result[name] = merge(Object.hasOwn(result, name) ? result[name] : undefined, value);
  }
  return result;
}
