import { assert, describe, it } from "@effect/vitest"
import { answeredId, readText } from "../../../../../src/layers/connection/ServerConnector/rpc/readText.ts"
import {
  JSON_ANSWER_MAX_NAMES,
  JSON_ANSWER_MAX_PARTS,
  JSON_MAX_DEPTH,
  JSON_MAX_NAMES,
  JSON_MAX_PARTS,
  JSON_UNASKED_MAX_PARTS
} from "../../../../../src/schemas/defaults/Wire.ts"

/** What comes of a line while requests of these ids wait, some of them for lists. */
const read = (line: string, waiting: ReadonlyArray<number> = [], lists: ReadonlyArray<number> = []) => {
  const told: Array<string> = []
  readText(line, {
    awaits: (id) => waiting.includes(id),
    lists: (id) => lists.includes(id),
    onMessage: (_, length) => told.push(`message of ${length}`),
    onTooDeep: (id) => told.push(`too deep: ${id}`),
    onRubbish: (text) => told.push(`rubbish: ${text}`)
  })
  return told.join()
}

const strings = (count: number) => `[${Array.from({ length: count }, () => '"some words"').join()}]`

const names = (count: number) => `{${Array.from({ length: count }, (_, i) => `"name ${i}":${i}`).join()}}`

const PROPERTY = '{"type":"string","description":"what it is","examples":["a","b"]}'
const tool = (index: number) =>
  `{"name":"tool${index}","description":"does it","inputSchema":{"type":"object","properties":{${Array.from(
    { length: 8 },
    (_, i) => `"property${index}of${i}":${PROPERTY}`
  ).join()}}}}`

describe("readText", () => {
  it("gives a message with its length, skips blank lines, and reports invalid JSON", () => {
    assert.strictEqual(read('{"a":1}'), "message of 7")
    assert.strictEqual(read('\u{FEFF}{"a":1}'), "message of 7")
    for (const line of ["", " ", "\r", "\u{FEFF} \r"]) assert.strictEqual(read(line), "")
    assert.strictEqual(read("{no"), "rubbish: {no")
  })

  it("has lower limits for messages that are not an awaited response", () => {
    const result = strings(JSON_UNASKED_MAX_PARTS)
    for (const answer of [
      `{"jsonrpc":"2.0","id":5,"result":${result}}`,
      `{"result":${result},"jsonrpc":"2.0","id":5}`
    ]) {
      assert.strictEqual(read(answer, [5]), `message of ${answer.length}`)
      assert.strictEqual(read(answer, [6]), "too deep: 5")
    }
    assert.strictEqual(read(`{"jsonrpc":"2.0","method":"x","params":${result}}`, [5]), "too deep: undefined")
  })

  it("limits size, names and depth of a response", () => {
    const answer = (result: string) => `{"jsonrpc":"2.0","id":5,"result":${result}}`
    const most = answer(strings(JSON_ANSWER_MAX_PARTS - 10))
    assert.strictEqual(read(most, [5]), `message of ${most.length}`)
    assert.strictEqual(read(answer(strings(JSON_ANSWER_MAX_PARTS)), [5]), "too deep: 5")
    assert.strictEqual(read(answer(names(JSON_ANSWER_MAX_NAMES + 1)), [5]), "too deep: 5")
    const deep = "[".repeat(JSON_MAX_DEPTH + 1)
    assert.strictEqual(read(answer(`["${"x".repeat(100_000)}",${deep}`), [5]), "too deep: 5")
  })

  it("accepts a list of 2,000 tools with schemas, within a limit for names", () => {
    const list = (result: string) => `{"jsonrpc":"2.0","id":5,"result":${result}}`
    const tools = list(`{"tools":[${Array.from({ length: 2_000 }, (_, index) => tool(index)).join()}]}`)
    assert.strictEqual(read(tools, [5], [5]), `message of ${tools.length}`)
    assert.strictEqual(read(tools, [5]), "too deep: 5")
    assert.strictEqual(read(list(names(JSON_MAX_NAMES)), [5], [5]), "too deep: 5")
  })

  it("accepts any depth only in an awaited response with a list", () => {
    const answer = (depth: number) => `{"jsonrpc":"2.0","id":5,"result":${"[".repeat(depth)}${"]".repeat(depth)}}`
    const deep = answer(JSON_MAX_PARTS - 10)
    assert.strictEqual(read(deep, [5], [5]), `message of ${deep.length}`)
    assert.strictEqual(read(answer(JSON_MAX_PARTS), [5], [5]), "too deep: 5")
    assert.strictEqual(read(deep, [5], [6]), "too deep: 5")
    assert.strictEqual(read(deep, [], [5]), "too deep: 5")
  })

  it("finds the id of an oversized response at any position", () => {
    assert.strictEqual(answeredId('{"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"', '"}]}}'), 7)
    assert.strictEqual(answeredId('{"id":8,"jsonrpc":"2.0","result":{', "}}"), 8)
    assert.strictEqual(answeredId('{"result":{"content":[{"text":"', '"}]},"jsonrpc":"2.0","id":9}'), 9)
    assert.strictEqual(answeredId('{"result":{', '},"id":10,"jsonrpc":"2.0"}'), 10)
    assert.isUndefined(answeredId('{"result":{"id":1,', '"x"}}'))
  })
})
