/** Those who approve calls in place of the person whose call it is, as `approvers` of the configuration name them. Pure. */

/** For people: `ada@example.com, group:leads or operator`. */
export const anyOf = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? (names[0] ?? "nobody") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)!}`

/** Those of both, each once; `undefined` if neither names any. */
export const approversOf = (
  one: ReadonlyArray<string> | undefined,
  other: ReadonlyArray<string> | undefined
): ReadonlyArray<string> | undefined =>
  one === undefined || other === undefined ? (one ?? other) : [...new Set([...one, ...other])]
