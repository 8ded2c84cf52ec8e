/**
 * Whether an answer to `tools/call` is a tool result, and if not why, in our own words. A value (structured content, or what
 * the first revision had in its place) makes a result by itself. Of a list of blocks what is valid is kept.
 */
import { kindOf } from "../../../schemas/content/ContentBlock.ts"

type Raw = Readonly<Record<string, unknown>>
type Blocks = ReadonlyArray<unknown>

/** What was read of the blocks: what is wrong with each that is none. */
interface Read {
  readonly faults: ReadonlyArray<string>
}

/** The blocks of a result; none where there is no list of them. */
export const blocksOf = ({ content }: Raw): Blocks => (Array.isArray(content) ? content : [])

/** Why there is no list, where something else stands in its place. */
const faultOfContent = ({ content }: Raw): string | undefined =>
  content === undefined || Array.isArray(content)
    ? undefined
    : `its content is ${kindOf(content)} and not a list of blocks`

const hasValue = (raw: Raw) => raw["structuredContent"] !== undefined || raw["toolResult"] !== undefined

/** Each kind once. */
const named = (faults: ReadonlyArray<string>) => [...new Set(faults)].join(", ")

/** Why nothing of a result can be used; `undefined` when it is one. */
export const faultOf = (raw: Raw, { faults }: Read): string | undefined => {
  if (hasValue(raw)) return undefined
  const { length } = blocksOf(raw)
  if (length > 0) return faults.length === length ? `its content holds ${named(faults)}` : undefined
  if (raw["content"] !== undefined) return faultOfContent(raw)
  // Who says that the tool failed has said something.
  return raw["isError"] === true ? undefined : "it has no content"
}

/** What of a result could not be used; `undefined` when there is nothing like that. */
export const leftOutOf = (raw: Raw, { faults }: Read): string | undefined => {
  const fault = faultOfContent(raw)
  if (fault !== undefined) return fault
  return faults.length === 0
    ? undefined
    : `${faults.length} of ${blocksOf(raw).length} content blocks: ${named(faults)}`
}
