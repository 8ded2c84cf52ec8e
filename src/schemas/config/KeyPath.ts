/**
 * The path of a value in a configuration, and how messages show it (`agents.list[0].mcp.servers["my server"].command`).
 * Distinct paths have distinct texts.
 */
export type KeyPath = ReadonlyArray<string | number>

/** A value with its path, so that later checks can name it. */
export interface Located<A> {
  readonly path: KeyPath
  readonly value: A
}

/** The items of a list, each with its own path. */
export const itemsOf = <A>(list: Located<ReadonlyArray<A>> | undefined): ReadonlyArray<Located<A>> =>
  list === undefined ? [] : list.value.map((value, i) => ({ path: [...list.path, i], value }))

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/

export const formatKeyPath = (path: KeyPath): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    if (!PLAIN_KEY.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === "" ? key : `${text}.${key}`
  }, "")

/** A named text: a variable, a header. */
export interface NamedText extends Located<string> {
  readonly name: string
}
