/**
 * Hides the secrets in the text of a configuration: strings and comments that hold one are replaced by marks, each its own, and the marks by
 * what they stand for. What is hidden: values that are known as secrets, and what looks like a credential where it stands.
 */
import * as Result from "effect/Result"
import { randomBytes } from "node:crypto"
import { parsed, serversIn } from "../../../schemas/config/clients/AddServers.ts"
import { movableIn } from "../../../schemas/config/clients/MoveCredentials.ts"
import { credentialsNamed } from "../../../schemas/connection/LaunchCredentials.ts"
import { CONFIG_MASKS_MAX } from "../../../schemas/defaults/Control.ts"

export interface Masks {
  /** The text without secrets, and how many of its places are hidden; fails with a sentence if they cannot all be hidden. */
  readonly hide: (text: string) => Result.Result<{ readonly text: string; readonly masked: number }, string>
  /** The text with the secrets; fails with a sentence if a mark is not known. */
  readonly reveal: (text: string) => Result.Result<string, string>
}

/** Strings and comments, in the order in which JSON5 reads them. */
const TOKENS = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g
const MARKED = /"\[MASKED-([0-9a-f]{8})\]"|\/\/ \[MASKED-([0-9a-f]{8})\]|\/\* \[MASKED-([0-9a-f]{8})\] \*\//g
const ANY_MARK = /\[MASKED-[0-9a-f]{8}\]/

/** The key before a value, if it is not in quotes. */
const BARE_KEY = /([\p{L}$_][\p{L}\p{N}$_-]{0,255})\s*:\s*$/u

const UNPARSED =
  "it is not valid JSON5, so it cannot be told which of its values are credentials: change it with an editor"
const UNHIDDEN = "it holds a secret that cannot be masked where it stands: change it with an editor"

const isComment = (token: string): boolean => token.startsWith("/")

const stringIn = (token: string): string => String(parsed(token) ?? token)

const markFor = (token: string, mark: string): string =>
  token.startsWith("//") ? `// ${mark}` : token.startsWith("/*") ? `/* ${mark} */` : JSON.stringify(mark)

export const makeMasks = (redact: (text: string) => string): Masks => {
  /** What marks stand for, the oldest first. */
  const tokens = new Map<string, string>()
  const ids = new Map<string, string>()

  const markOf = (token: string): string => {
    let id = ids.get(token)
    if (id === undefined) {
      if (tokens.size >= CONFIG_MASKS_MAX) {
        const [oldest, stood] = tokens.entries().next().value!
        tokens.delete(oldest)
        ids.delete(stood)
      }
      id = randomBytes(4).toString("hex")
      tokens.set(id, token)
      ids.set(token, id)
    }
    return markFor(token, `[MASKED-${id}]`)
  }

  const hide: Masks["hide"] = (text) => {
    const value = parsed(text)
    if (value === undefined && text.trim() !== "") return Result.fail(UNPARSED)
    // What is a credential by its place in an entry, such as a word behind `--token`.
    const plain = [...serversIn(value).values()].flatMap((entry) => movableIn(entry).map(({ secret }) => secret))
    const holdsSecret = (token: string, key: string): boolean => {
      if (redact(token) !== token) return true
      if (isComment(token)) return plain.some((secret) => token.includes(secret))
      const value = stringIn(token)
      return (
        redact(value) !== value ||
        plain.some((secret) => value.includes(secret)) ||
        (key !== "" && credentialsNamed(key, value).length > 0)
      )
    }
    let [masked, end, last] = [0, 0, ""]
    const hidden = text.replace(TOKENS, (token: string, at: number) => {
      const between = text.slice(end, at)
      const key = /^\s*:\s*$/.test(between) ? last : (BARE_KEY.exec(between)?.[1] ?? "")
      end = at + token.length
      if (!isComment(token)) last = stringIn(token)
      if (!holdsSecret(token, key)) return token
      masked++
      return markOf(token)
    })
    // A number or a bare key that is a secret cannot be replaced by a mark.
    return redact(hidden) === hidden ? Result.succeed({ text: hidden, masked }) : Result.fail(UNHIDDEN)
  }

  const reveal: Masks["reveal"] = (text) => {
    const shown = text.replace(MARKED, (mark: string, ...found: ReadonlyArray<string | undefined>) => {
      const token = tokens.get(found.slice(0, 3).find((id) => id !== undefined)!)
      return token !== undefined && markFor(token, "").slice(0, 2) === markFor(mark, "").slice(0, 2) ? token : mark
    })
    return ANY_MARK.test(shown)
      ? Result.fail(
          "a masked value is not known, or was changed: put the mark back as it was, give the value anew, or read the file again"
        )
      : Result.succeed(shown)
  }

  return { hide, reveal }
}
