/**
 * What stands where in a JSON5 text that a person is writing: it may be broken anywhere, so nothing here fails. Comments are skipped, a
 * string ends at its line, a bracket that closes nothing is passed over. One walk over the text, without recursion.
 */

export interface Member {
  /** The index, in a list. */
  readonly key: string | number
  readonly from: number
  /** The end of the key; in a list, `from`. */
  readonly keyTo: number
  /** The end of the value; without a value, of what could be one. */
  to: number
  value?: Value
}

export interface Value {
  readonly kind: "object" | "array" | "scalar"
  readonly from: number
  to: number
  readonly members: Array<Member>
}

export type TokenKind = "comment" | "key" | "string" | "word" | "sign"

export interface Token {
  readonly kind: TokenKind
  readonly from: number
  readonly to: number
}

const LINE_END = /[\n\r\u2028\u2029]/
const SIGNS = "{}[]:,"
const WORD_END = /[\s{}[\]:,/"']/

const endWhere = (text: string, from: number, stops: (character: string) => boolean): number => {
  let at = from
  while (at < text.length && !stops(text[at]!)) at++
  return at
}

const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === text[from]) return at + 1
    else if (LINE_END.test(text[at]!)) return at
  }
  return text.length
}

/** Every word is a `word` here: the tree knows which of them are keys. */
function* tokens(text: string): Generator<Token> {
  for (let at = 0; at < text.length;) {
    const from = at
    const character = text[at]!
    if (/\s/.test(character)) at++
    else if (text.startsWith("//", at)) {
      at = endWhere(text, at, (each) => LINE_END.test(each))
      yield { kind: "comment", from, to: at }
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      at = end === -1 ? text.length : end + 2
      yield { kind: "comment", from, to: at }
    } else if (SIGNS.includes(character)) yield { kind: "sign", from, to: ++at }
    else if (character === '"' || character === "'") {
      at = endOfString(text, at)
      yield { kind: "string", from, to: at }
    } else {
      at = endWhere(text, at + 1, (each) => WORD_END.test(each))
      yield { kind: "word", from, to: at }
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0" }

const keyOf = (written: string): string =>
  written
    .replace(/^(["'])([\s\S]*?)\1?$/, "$2")
    .replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, four, two, one: string) =>
      one === undefined ? String.fromCharCode(Number.parseInt(four ?? two, 16)) : (ESCAPES[one] ?? one)
    )

export interface Tree {
  readonly root: Value | undefined
  readonly tokens: ReadonlyArray<Token>
}

export const treeOf = (text: string): Tree => {
  const seen: Array<Token> = []
  const open: Array<Value> = []
  let root: Value | undefined

  /** The member that waits for its value. */
  const waiting = (): Member | undefined => {
    const last = open.at(-1)?.members.at(-1)
    return last?.value === undefined ? last : undefined
  }
  const put = (value: Value) => {
    const around = open.at(-1)
    if (around === undefined) root ??= value
    else {
      if (around.kind === "array" && waiting() === undefined) {
        const { from } = value
        around.members.push({ key: around.members.length, from, keyTo: from, to: from })
      }
      const member = waiting()
      if (member === undefined) return
      member.value = value
      member.to = value.to
    }
  }
  const close = (kind: Value["kind"], to: number) => {
    if (open.at(-1)?.kind !== kind) return
    const member = waiting()
    if (member !== undefined) member.to = to - 1
    open.pop()!.to = to
    const holder = open.at(-1)?.members.at(-1)
    if (holder !== undefined) holder.to = to
  }
  const sign = (character: string, from: number) => {
    if (character === "{" || character === "[") {
      const value: Value = { kind: character === "{" ? "object" : "array", from, to: text.length, members: [] }
      put(value)
      open.push(value)
    } else if (character === "}") close("object", from + 1)
    else if (character === "]") close("array", from + 1)
    else if (character === ",") {
      const member = waiting()
      // An empty place is no value; the next key may come.
      if (member !== undefined)
        Object.assign(member, { to: from, value: { kind: "scalar", from, to: from, members: [] } })
    }
  }

  for (const token of tokens(text)) {
    const { from, kind, to } = token
    const isKey = (kind === "word" || kind === "string") && open.at(-1)?.kind === "object" && waiting() === undefined
    seen.push(isKey ? { ...token, kind: "key" } : token)
    if (kind === "sign") sign(text[from]!, from)
    else if (isKey) open.at(-1)!.members.push({ key: keyOf(text.slice(from, to)), from, keyTo: to, to: text.length })
    else if (kind !== "comment") put({ kind: "scalar", from, to, members: [] })
  }
  return { root, tokens: seen }
}
