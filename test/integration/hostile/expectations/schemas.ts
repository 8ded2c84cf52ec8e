import { assert } from "@effect/vitest"
import { SCHEMA_MAX_BYTES } from "../../../../src/schemas/defaults/Definitions.ts"
import { failed, findingsOf, found, type Expectation, type Expectations } from "../expectation.ts"

/** The tool is there and can be called; what it asks for is an object of a size that can be shown. */
const shown = (name: string): Expectation => ({
  says: /quoth a call/,
  check: ({ tools }) => {
    const { parameters } = tools().find(({ tool }) => tool === name)!
    assert.strictEqual(parameters["type"], "object")
    assert.isAtMost(JSON.stringify(parameters).length, SCHEMA_MAX_BYTES)
  }
})

/** It is not there, and the log says why; the others are. */
const dropped = (why: RegExp, limit?: string): Expectation => ({
  dropped: why,
  ...(limit === undefined ? {} : { limit })
})

const TOO_LARGE = dropped(
  /inputSchema is larger than 64 KiB/,
  "a schema of more than 64 KiB costs its tool, and is not cut"
)

/** The value is shown; that it is not what the tool's output schema says is found, and a note says where. */
const mismatched = (says: RegExp, note: RegExp): Expectation => ({
  says,
  check: (played) => {
    found("outputMismatch")(played)
    const { details } = played.results[0]!
    assert.match("notes" in details ? details.notes.join("\n") : "", note)
  }
})

const NAMES = ["self", "cycle", "laughs", "kinds", "root_union", "redos"]

export const SCH: Expectations = {
  ...Object.fromEntries(NAMES.map((name) => [`schemas:${name}`, shown(`schema_${name}`)])),
  "schemas:chain": TOO_LARGE,
  "schemas:enums": TOO_LARGE,
  "schemas:wide": TOO_LARGE,
  "schemas:pattern": TOO_LARGE,
  "schemas:root_array": dropped(/has the type "array" instead of "object"/),
  "remote-refs": {
    check: ({ tools }) => assert.notMatch(JSON.stringify(tools()), /\$ref":"(?:http|file)/)
  },
  "mirrored-headers": {
    check: ({ logs, tools }) => {
      const left = tools().filter(({ tool }) => tool.startsWith("header_"))
      assert.deepStrictEqual(
        left.map(({ tool }) => tool),
        ["header_authorization"],
        "a name that is none costs the tool"
      )
      assert.match(logs.join("\n"), /x-mcp-header/)
    }
  },
  "output-mismatch:wrong": mismatched(/quoth not a number/, /output schema: type at \$\.sum$/),
  "output-mismatch:missing": mismatched(/quoth no value/, /promises is missing$/),
  "output-mismatch:error": {
    check: ({ results: [result] }) => {
      assert.isTrue(result!.isError)
      assert.notInclude(findingsOf(result!), "outputMismatch")
    }
  },
  "output-mismatch:list": mismatched(/quoth/, /output schema: type at \$$/),
  "output-mismatch:deep": failed("ProtocolError")
}
