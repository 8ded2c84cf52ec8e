/**
 * Where a value stands in a configuration: the keys that lead to it, and how they are written in a message
 * (`agents.list[0].mcp.servers["my server"].command`). Distinct paths have distinct text.
 */
export type KeyPath = ReadonlyArray<string | number>

/** A value together with the place it was read from, so that whatever is found out later can still name it. */
export interface Located<A> {
  readonly path: KeyPath
  readonly value: A
}

/** The items of a list, each with its own place. */
export const itemsOf = <A>(list: Located<ReadonlyArray<A>> | undefined): ReadonlyArray<Located<A>> =>
  list === undefined ? [] : list.value.map((value, i) => ({ path: [...list.path, i], value }))

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/

export const formatKeyPath = (path: KeyPath): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    if (!PLAIN_KEY.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === "" ? key : `${text}.${key}`
  }, "")

/** A text under a name: a variable, a header. */
export interface NamedText extends Located<string> {
  readonly name: string
}
