import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { ORDER_HTTP_CLIENTS_MAX } from "../../../src/schemas/defaults/Orders.ts"
import { readClients } from "../../../src/programs/mcpServer/orderClients.ts"

const A = "a".repeat(16)
const B = "b".repeat(16)
const refused = (text: string) => {
  const read = readClients(text)
  return Result.isFailure(read) ? read.failure : assert.fail("was taken")
}

describe("the file of clients", () => {
  it("has a line for each, with its name, its token and maybe its agent", () => {
    assert.deepStrictEqual(Result.getOrThrow(readClients(`# mine\n\n a ${A}\r\n\tb.c_d-e\t${B}  coder \n`)), [
      { name: "a", token: A, agent: undefined },
      { name: "b.c_d-e", token: B, agent: "coder" }
    ])
  })

  it.each([
    ["", "there is no client in it"],
    ["# a\n", "there is no client in it"],
    [`-x ${A}`, "line 1: the name of a client has"],
    [`${"n".repeat(65)} ${A}`, "line 1: the name of a client has"],
    ["a", "line 1: after the name comes its token"],
    [`a ${A.slice(1)}`, "line 1: after the name comes its token"],
    [`a ${A}ä`, "line 1: after the name comes its token"],
    [`a ${A} x y`, "line 1: after the name comes its token"],
    [`a ${A}\na ${B}`, "line 2: there is a client of that name already"],
    [`a ${A}\nb ${A}`, "line 2: another client has the same token"]
  ])("is refused as %j, without a word of a token", (text, why) => {
    assert.include(refused(text), why)
    assert.notInclude(refused(text), A.slice(1))
  })

  it("has so many of them", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `c${index} ${A}${index}`).join("\n")
    assert.isTrue(Result.isSuccess(readClients(lines(ORDER_HTTP_CLIENTS_MAX))))
    assert.include(refused(lines(ORDER_HTTP_CLIENTS_MAX + 1)), "there are 65 clients in it, and there may be 64")
  })
})
