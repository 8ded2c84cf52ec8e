import { assert, describe, it } from "@effect/vitest"
import { chooseGateway, CONTROL_CONTRACT, type RunningGateway } from "../../../src/schemas/control/Gateway.ts"

const gateway = (pid: number, path: string | null, contract = CONTROL_CONTRACT): RunningGateway => ({
  contract,
  version: "0.1.0",
  kind: "serve",
  pid,
  startedAt: 0,
  configuration: path === null ? null : { path, hash: "" }
})

const wanted = (configuration: string | undefined, pid?: number, canBeAlone = true) => ({
  configurations: configuration === undefined ? [] : [configuration],
  pid,
  canBeAlone
})

describe("the choice of a running gateway", () => {
  it("is the one with the same configuration", () => {
    const choice = chooseGateway([gateway(1, "/a.json"), gateway(2, "/b.json")], wanted("/b.json"))
    assert.deepInclude(choice, { _tag: "One" })
    assert.strictEqual(choice._tag === "One" && choice.gateway.pid, 2)
  })

  it("is that of the first place that a gateway runs", () => {
    const running = [gateway(1, "/a.json"), gateway(2, "/b.json"), gateway(3, "/b.json")]
    const among = (...configurations: ReadonlyArray<string>) =>
      chooseGateway(running, { configurations, pid: undefined, canBeAlone: true })
    const first = among("/0.json", "/a.json", "/b.json")
    assert.strictEqual(first._tag === "One" && first.gateway.pid, 1)
    assert.strictEqual(among("/b.json", "/a.json")._tag, "Unclear")
  })

  it("advises --standalone only where a command has it", () => {
    for (const running of [
      [gateway(1, "/a.json"), gateway(2, "/a.json")],
      [gateway(1, "/a.json", CONTROL_CONTRACT + 1)]
    ]) {
      const said = (canBeAlone: boolean) =>
        (chooseGateway(running, wanted("/a.json", undefined, canBeAlone)) as { readonly message: string }).message
      assert.include(said(true), "--standalone")
      assert.notInclude(said(false), "--standalone")
    }
  })

  it("is none with another configuration or a part of it", () => {
    const others = [gateway(1, "/a.json"), gateway(2, null)]
    assert.strictEqual(chooseGateway(others, wanted("/b.json"))._tag, "None")
    assert.strictEqual(chooseGateway(others, wanted(undefined))._tag, "None")
  })

  it("is unclear when there are several, and lists them", () => {
    const choice = chooseGateway([gateway(1, "/a.json"), gateway(2, "/a.json")], wanted("/a.json"))
    assert.strictEqual(choice._tag, "Unclear")
    const { message = "" } = choice as { readonly message?: string }
    assert.match(message, /^several gateways of this configuration are running:\n {2}1 {2}serve, since 1970-.*\n {2}2 /)
    assert.include(message, "--gateway PID")
  })

  it("is the one with the given process ID, whatever its configuration", () => {
    const running = [gateway(1, "/a.json"), gateway(2, "/a.json"), gateway(3, null)]
    const choice = chooseGateway(running, wanted("/a.json", 3))
    assert.strictEqual(choice._tag === "One" && choice.gateway.pid, 3)
    const missing = chooseGateway(running, wanted("/a.json", 4))
    assert.match((missing as { readonly message: string }).message, /no gateway with the process number 4; these are/)
    const none = chooseGateway([], wanted("/a.json", 4))
    assert.match((none as { readonly message: string }).message, /; none is running$/)
  })

  it("fails for a gateway with another contract, and names its version", () => {
    const choice = chooseGateway([gateway(1, "/a.json", CONTROL_CONTRACT + 1)], wanted("/a.json"))
    assert.match(
      (choice as { readonly message: string }).message,
      /gateway 1 \(serve\) is mcp-live 0\.1\.0, which this/
    )
  })
})
