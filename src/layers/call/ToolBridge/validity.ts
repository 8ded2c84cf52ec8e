/**
 * Whether a response to `tools/call` is a tool result, and if not, why, in our own words. A value (structured content, or its
 * predecessor in the first revision) alone makes a result. Valid blocks of a list are kept.
 */
import { kindOf } from "../../../schemas/content/ContentBlock.ts"

type Raw = Readonly<Record<string, unknown>>
type Blocks = ReadonlyArray<unknown>

/** What is wrong with each invalid block. */
interface Read {
  readonly faults: ReadonlyArray<string>
}

/** The blocks of a result; empty when there is no list of them. */
export const blocksOf = ({ content }: Raw): Blocks => (Array.isArray(content) ? content : [])

/** The error when something else is in place of the list. */
const faultOfContent = ({ content }: Raw): string | undefined =>
  content === undefined || Array.isArray(content)
    ? undefined
    : `its content is ${kindOf(content)} and not a list of blocks`

const hasValue = (raw: Raw) => raw["structuredContent"] !== undefined || raw["toolResult"] !== undefined

/** Each kind once. */
const named = (faults: ReadonlyArray<string>) => [...new Set(faults)].join(", ")

/** Why nothing of a result is usable; `undefined` when it is valid. */
export const faultOf = (raw: Raw, { faults }: Read): string | undefined => {
  if (hasValue(raw)) return undefined
  const { length } = blocksOf(raw)
  if (length > 0) return faults.length === length ? `its content holds ${named(faults)}` : undefined
  if (raw["content"] !== undefined) return faultOfContent(raw)
  // An error result without content is valid.
  return raw["isError"] === true ? undefined : "it has no content"
}

/** Which parts of a result were unusable; `undefined` when there are none. */
export const leftOutOf = (raw: Raw, { faults }: Read): string | undefined => {
  const fault = faultOfContent(raw)
  if (fault !== undefined) return fault
  return faults.length === 0
    ? undefined
    : `${faults.length} of ${blocksOf(raw).length} content blocks: ${named(faults)}`
}
