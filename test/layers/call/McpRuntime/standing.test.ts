/** What the rules of clients leave to one caller, at calls and in lists, over the whole runtime. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { makeStandings } from "../../../../src/layers/call/McpRuntime/standing.ts"
import * as ToolPolicyLayer from "../../../../src/layers/call/ToolPolicy.ts"
import * as ConfigSourceLayer from "../../../../src/layers/config/ConfigSource.ts"
import { callerOf, callerWith, type Caller } from "../../../../src/schemas/call/Caller.ts"
import { identityOfToken, type Identity } from "../../../../src/schemas/login/Identity.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { standingOf } from "../../../../src/schemas/login/Standing.ts"
import { ToolPolicy } from "../../../../src/services/call/ToolPolicy.ts"
import { AgentRuntimes } from "../../../../src/services/call/AgentRuntimes.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest } from "../../../../src/testing.ts"

const tool = (name: string) => ({
  name,
  inputSchema: { type: "object" },
  handle: ({ long }: Readonly<Record<string, unknown>>) => ({
    content: [{ type: "text", text: long === true ? "a long line of words\n".repeat(10_000) : `${name} was called` }]
  })
})

const SERVERS = {
  git: { tools: [tool("status"), tool("push"), tool("log")] },
  mail: { tools: [tool("send"), tool("read")] }
}

const ADA: Identity = {
  client: "vscode",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada" },
  groups: ["staff"],
  roles: [],
  scopes: [],
  claims: {}
}

const ada = callerWith("ada by vscode", ADA)
const laptop = callerWith("client laptop", identityOfToken("client laptop"))

const ruled = (rules: ReadonlyArray<object>, tools: object = {}, more: object = {}) => {
  const servers = Object.fromEntries(Object.keys(SERVERS).map((name) => [name, { command: "in-memory" }]))
  const config = ConfigSourceLayer.layerObject({
    mcp: { servers, clients: { rules, issuers: [{ issuer: "https://login.example.com" }] }, ...more },
    agents: { defaults: { tools } }
  })
  return McpLiveTest(SERVERS, { replace: { config } }).pipe(Layer.provideMerge(Logger.layer([])))
}

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : "ok")

const call = (caller: Caller | undefined, name: string, args = {}) =>
  Effect.flatMap(McpRuntime, (runtime) => Effect.andThen(runtime.ready, runtime.call(name, args, { caller })))

const seenBy = (caller: Caller) =>
  Effect.gen(function* () {
    const runtimes = yield* AgentRuntimes
    const runtime = yield* runtimes.get("main")
    yield* runtime.ready
    return yield* runtime.as(() => caller).tools
  }).pipe(Effect.map((tools) => tools.map(({ name }) => name)))

const ALL = ["mcp_git_status", "mcp_git_push", "mcp_git_log", "mcp_mail_send", "mcp_mail_read", "mcp_read_more"]

describe("the rules of clients", () => {
  it.effect("do not concern who is no client over HTTP", () =>
    Effect.gen(function* () {
      for (const caller of [undefined, callerOf(undefined), callerOf("operator")]) {
        assert.strictEqual(tagOf(yield* call(caller, "mcp_git_push")), "ok")
      }
      assert.sameMembers(yield* seenBy(callerOf("operator")), ALL)
    }).pipe(Effect.scoped, Effect.provide(ruled([{ who: ["nobody"] }])))
  )

  it.effect("do not concern anybody where there are none", () =>
    Effect.gen(function* () {
      assert.strictEqual(tagOf(yield* call(ada, "mcp_git_push")), "ok")
      assert.sameMembers(yield* seenBy(ada), ALL)
    }).pipe(Effect.scoped, Effect.provide(ruled([])))
  )

  it.effect("allow together what each of them allows, and nothing else", () =>
    Effect.gen(function* () {
      assert.sameMembers(yield* seenBy(ada), ["mcp_git_status", "mcp_mail_send", "mcp_mail_read", "mcp_read_more"])
      assert.sameMembers(yield* seenBy(laptop), ["mcp_git_log", "mcp_read_more"])
      assert.strictEqual(tagOf(yield* call(ada, "mcp_git_status")), "ok")
      const refused = yield* call(ada, "mcp_git_log")
      assert.strictEqual(tagOf(refused), "PolicyDenied")
      assert.include(textOf(refused), "clients.rules: no rule allows it")
      assert.strictEqual(tagOf(yield* call(laptop, "mcp_mail_send")), "PolicyDenied")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        ruled([
          { who: ["ada"], tools: { allow: ["git/status"] } },
          { who: ["group:staff"], servers: ["mail"] },
          { who: ["client:laptop"], servers: ["git"], tools: { allow: ["*log"] } }
        ])
      )
    )
  )

  it.effect("deny what any of them denies, and name it", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* seenBy(ada), "mcp_git_push")
      assert.include(textOf(yield* call(ada, "mcp_git_push")), "clients.rules[1]: deny: git/push")
    }).pipe(Effect.scoped, Effect.provide(ruled([{}, { tools: { deny: ["git/push"] } }])))
  )

  it.effect("ask where any of them asks", () =>
    Effect.gen(function* () {
      assert.include(yield* seenBy(ada), "mcp_git_push")
      // Nobody can be asked here.
      assert.strictEqual(tagOf(yield* call(ada, "mcp_git_push")), "ApprovalDenied")
      assert.strictEqual(tagOf(yield* call(undefined, "mcp_git_push")), "ok")
    }).pipe(Effect.scoped, Effect.provide(ruled([{}, { servers: ["git"], tools: { ask: ["*push"] } }])))
  )

  it.effect("name who approves, beside what the agent says", () =>
    Effect.gen(function* () {
      const said = textOf(yield* call(ada, "mcp_git_push"))
      assert.include(said, "it needs the approval of group:leads, bob or operator, and nobody is at the desk")
      assert.include(said, "(clients.rules[1]: ask: git/*)")
      assert.notInclude(textOf(yield* call(laptop, "mcp_git_push")), "bob")
      const { servers } = yield* (yield* McpRuntime).plan(undefined, ada)
      const push = servers.flatMap(({ tools }) => tools).find((planned) => planned.tool === "push")
      assert.deepStrictEqual(push?.approvers, ["group:leads", "bob", "operator"])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        ruled(
          [
            {},
            { who: ["ada"], tools: { ask: ["git/*"], approvers: ["group:leads", "bob"] } },
            { who: ["group:staff"], tools: { ask: ["git/push"], approvers: ["operator"] } }
          ],
          {
            ask: ["git/push"]
          }
        )
      )
    )
  )

  it.effect("ask again where others approve than when the call was approved", () =>
    Effect.gen(function* () {
      const subject = { exposed: "mcp_git_push", server: "git", tool: "push" }
      const route = {
        _tag: "ServerRoute",
        exposed: subject.exposed,
        subject,
        rules: [],
        server: { config: { name: "git" } }
      }
      let approvers: ReadonlyArray<string> | undefined
      const standings = makeStandings(yield* ToolPolicy, {
        of: (identity) =>
          identity &&
          standingOf([{ who: ["ada"] }, { tools: { ask: ["git/*"], ...(approvers && { approvers }) } }], identity),
        changes: Stream.never
      })
      const decided = () => {
        const standing = standings.of(ada)
        return { route: route as never, standing, decision: standings.decide(standing, route as never) }
      }
      const byAda = decided()
      assert.isFalse(standings.forbids(byAda, ada))
      approvers = ["bob", "carol"]
      assert.isTrue(standings.forbids(byAda, ada))
      const byBob = decided()
      approvers = ["carol"]
      assert.isFalse(standings.forbids(byBob, ada))
      approvers = ["dave"]
      assert.isTrue(standings.forbids(byBob, ada))
    }).pipe(Effect.provide(ToolPolicyLayer.layer))
  )

  it.effect("never widen what the agent may use", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* seenBy(ada), "mcp_mail_send")
      assert.include(textOf(yield* call(ada, "mcp_mail_send")), "deny: mail/send")
    }).pipe(Effect.scoped, Effect.provide(ruled([{ tools: { allow: ["mail/send", "*"] } }], { deny: ["mail/send"] })))
  )

  it.effect("leave nothing to whom none lets in", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* seenBy(laptop))
      for (const name of ALL) assert.strictEqual(tagOf(yield* call(laptop, name, { handle: "r-1" })), "PolicyDenied")
    }).pipe(Effect.scoped, Effect.provide(ruled([{ who: ["ada"] }])))
  )

  it.effect("hold for the search tools, which find and call what they leave; with few tools, there is no search", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* seenBy(ada), "mcp_search_tools")
      assert.include(yield* seenBy(laptop), "mcp_search_tools")
      const found = textOf(yield* call(ada, "mcp_search_tools"))
      assert.include(found, "mcp_mail_send")
      assert.notInclude(found, "mcp_git_")
      assert.strictEqual(tagOf(yield* call(ada, "mcp_describe_tool", { name: "mcp_git_push" })), "ToolNotFound")
      assert.strictEqual(tagOf(yield* call(ada, "mcp_call_tool", { name: "mcp_git_push" })), "ToolNotFound")
      assert.strictEqual(tagOf(yield* call(ada, "mcp_call_tool", { name: "mcp_mail_send" })), "ok")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        ruled([{ who: ["ada"], servers: ["mail"] }, { who: ["client:laptop"] }], {}, { toolIndex: { threshold: 3 } })
      )
    )
  )

  it.effect("suggest no tool that they keep from the caller", () =>
    Effect.gen(function* () {
      assert.notInclude(textOf(yield* call(ada, "mcp_git_pus")), "mcp_git_push")
      assert.include(textOf(yield* call(laptop, "mcp_git_pus")), "mcp_git_push")
    }).pipe(Effect.scoped, Effect.provide(ruled([{ who: ["ada"], servers: ["mail"] }, { who: ["client:laptop"] }])))
  )

  it.effect("hold for what a tool returned before, when more of it is read", () =>
    Effect.gen(function* () {
      const { details } = yield* call(ada, "mcp_git_log", { long: true })
      const handle = "handle" in details ? details.handle : assert.fail("nothing was kept")
      const read = (caller: Caller) => call(caller, "mcp_read_more", { handle })
      assert.isFalse((yield* read(ada)).isError)
      // The same client, with a token that says less.
      const later = callerWith("ada by vscode", { ...ADA, groups: [] })
      assert.strictEqual(tagOf(yield* call(later, "mcp_git_status")), "ok")
      assert.include(textOf(yield* read(later)), "There is nothing under this handle")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        ruled([
          { who: ["ada"], tools: { allow: ["git/status"] } },
          { who: ["group:staff"], servers: ["git"] }
        ])
      )
    )
  )

  it.effect("are in the plan for one client, with the reasons", () =>
    Effect.gen(function* () {
      const { plan, ready } = yield* McpRuntime
      yield* ready
      const { client, servers } = yield* plan(undefined, ada)
      assert.deepStrictEqual(client, {
        name: "ada",
        isLetIn: true,
        rules: ["clients.rules[0]", "clients.rules[1]"],
        unreached: ["git"]
      })
      const rules = servers.flatMap(({ tools }) => tools.map(({ rule, state, tool }) => [tool, state, rule]))
      assert.deepStrictEqual(rules, [
        ["status", "denied", "clients.rules: no rule allows it"],
        ["push", "denied", "clients.rules: no rule allows it"],
        ["log", "denied", "clients.rules: no rule allows it"],
        ["send", "denied", "clients.rules[1]: deny: mail/send"],
        ["read", "listed", "no rules"]
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(ruled([{ who: ["ada"], servers: ["mail"] }, { tools: { deny: ["mail/send"] } }]))
    )
  )
})
