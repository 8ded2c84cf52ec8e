/** Tools by their own names and resources in the prompt, as the model of a real OpenClaw gateway is given them. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { declaredIn } from "../../src/programs/openclawPlugin/declared.ts"
import { writeFolder } from "../../src/programs/openclawPlugin/folder.ts"
import { isObject } from "../../src/schemas/data/Json.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { linkLayer } from "../support/openclawLink.ts"
import { ask, askUntil, line } from "./asking.ts"
import { patch, TWO_AGENTS } from "./patch.ts"

const real = inject("openclaw")

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const BUILT = inProject("dist/openclaw-plugin")
const home = mkdtempSync(join(tmpdir(), "mcp-live-names-"))
const PLUGIN = join(home, "plugin")
const SESSION = "t-names"

const shifting = (note: string) => ({ command: process.execPath, args: [inFixtures("shifting.ts"), note] })

const config = (more: object = {}) => ({
  dataDirectory: join(home, "data"),
  agents: {
    list: [
      { id: "main", default: true, mcp: { servers: { a: shifting("the first note of main") } } },
      { id: "other", mcp: { servers: { b: shifting("the note of other") } } }
    ]
  },
  ...more
})

const entry = (more: object = {}, enabled = true) => ({
  plugins: {
    load: { paths: [PLUGIN] },
    entries: { "mcp-live": { enabled, hooks: { allowConversationAccess: true }, config: config(more) } }
  }
})

interface Asked {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
  readonly tools?: ReadonlyArray<{ readonly function: { name: string; description: string; parameters: object } }>
}

/** What the model was asked last. */
const asked = Effect.promise(async (): Promise<Asked> => {
  const answer = await fetch(`${real!.model}/asked`)
  return ((await answer.json()) as ReadonlyArray<Asked>).at(-1)!
})

const toolsOf = ({ tools = [] }: Asked) => new Map(tools.map(({ function: tool }) => [tool.name, tool]))
const oursIn = (request: Asked) => [...toolsOf(request).keys()].filter((name) => name.startsWith("mcp_")).toSorted()

/** The tools of ours that an agent is given for its next message. */
const given = (agent: string) => Effect.andThen(ask(agent, "SAY hello", SESSION), Effect.map(asked, oursIn))

const TRIES = 60
const givenUntil = (agent: string, isSo: (names: ReadonlyArray<string>) => boolean) =>
  given(agent).pipe(
    Effect.repeat({ until: isSo, times: TRIES }),
    Effect.tap((names) => Effect.sync(() => assert.isTrue(isSo(names), names.join(", "))))
  )

const said = (tool: string, args: object, words: string) =>
  askUntil("main", line(tool, args), (text) => text.startsWith("RESULT:") && text.includes(words), SESSION)

const reload = Effect.flatMap(GatewayLink, ({ operator }) =>
  operator.request("plugins.reload", { plugins: [{ pluginId: "mcp-live" }] })
)

/** How often words stand in all that the model was given. */
const times = (request: Asked, words: string) => JSON.stringify(request.messages).split(words).length - 1

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : []).map((part) => (isObject(part) ? String(part["text"]) : "")).join("\n")

const live = <A, E>(effect: Effect.Effect<A, E, GatewayLink>) =>
  Effect.provide(effect, linkLayer({ url: real!.url, token: real!.token }))

const OWN = ["add", "list_resources", "read_resource", "remove", "write"]
const named = (server: string) => OWN.map((tool) => `mcp_${server}_${tool}`)

beforeAll(async () => {
  if (real === undefined) return
  execFileSync(process.execPath, [inProject("scripts/bundle-plugin.mjs")], { stdio: "inherit" })
  // As an operator does it: the configuration is OpenClaw's own.
  const file = join(home, "openclaw.json")
  writeFileSync(file, JSON.stringify(entry()))
  const program = inProject("src/programs/main.ts")
  execFileSync(process.execPath, [program, "plugin", PLUGIN, "--openclaw", file], { stdio: "inherit" })
  const declared = declaredIn(JSON.parse(readFileSync(join(PLUGIN, "openclaw.plugin.json"), "utf8")))
  assert.includeMembers([...declared], [...named("a"), ...named("b"), "mcp_read_more"])
  // A tool that the server does not have at the moment.
  await writeFolder(BUILT, PLUGIN, [...declared, "mcp_a_late"])
  await Effect.runPromise(
    live(
      Effect.gen(function* () {
        yield* patch({ ...entry(), agents: TWO_AGENTS }, "plugins.load.paths")
        yield* givenUntil("main", (names) => names.includes("mcp_a_add"))
      })
    )
  )
})

afterAll(async () => {
  if (real !== undefined) await Effect.runPromise(live(patch(entry({}, false), "plugins.load.paths")))
  rmSync(home, { recursive: true, force: true })
})

describe.skipIf(real === undefined)("tools of agents in an OpenClaw gateway", () => {
  it.live("have their own names, descriptions and schemas, and go to the agent that they belong to", () =>
    live(
      Effect.gen(function* () {
        const names = yield* givenUntil("main", (found) => !found.includes("mcp_live"))
        assert.deepStrictEqual(names, [...named("a"), "mcp_read_more"].toSorted())
        const tool = toolsOf(yield* asked).get("mcp_a_write")
        assert.include(tool?.description, "[MCP server: a] To write")
        assert.deepNestedInclude(tool?.parameters as Record<string, unknown>, {
          "properties.text": { type: "string", minLength: 1 },
          required: ["text"]
        })
        const others = yield* givenUntil("other", (found) => found.includes("mcp_b_add") && !found.includes("mcp_live"))
        assert.deepStrictEqual(others, [...named("b"), "mcp_read_more"].toSorted())
      })
    )
  )

  it.live("are called by them, and answer between boundaries", () =>
    live(
      Effect.gen(function* () {
        const text = yield* said("mcp_a_write", { text: "x" }, "written")
        assert.match(text, /^RESULT: <<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>[^]*written[^]*id="\1">>>$/)
      })
    )
  )

  it.live("come late and go, as their server says", () =>
    live(
      Effect.gen(function* () {
        assert.notInclude(yield* given("main"), "mcp_a_late")
        yield* said("mcp_a_add", { name: "late" }, "added")
        yield* givenUntil("main", (names) => names.includes("mcp_a_late"))
        yield* said("mcp_a_late", {}, "this is late")
        yield* said("mcp_a_remove", { name: "late" }, "removed")
        yield* givenUntil("main", (names) => !names.includes("mcp_a_late"))
      })
    )
  )

  it.live("are denied by OpenClaw's own policy, by name and by agent, and the single tool is no way around", () =>
    live(
      Effect.gen(function* () {
        yield* patch({
          tools: { deny: ["mcp_a_rem*"] },
          agents: { entries: { main: { tools: { deny: ["mcp_a_add"] } } } }
        })
        const names = yield* givenUntil("main", (found) => !found.includes("mcp_a_remove"))
        assert.notInclude(names, "mcp_a_add")
        assert.include(names, "mcp_a_write")
        assert.include(yield* given("other"), "mcp_b_add")
        // Above the number that is set the single tool is all that there is.
        yield* patch(entry({ maxTools: 3 }))
        yield* givenUntil("main", (found) => found.length === 1 && found[0] === "mcp_live")
        const through = (name: string, args: object) => line("mcp_live", { action: "call", name, arguments: args })
        for (const name of ["mcp_a_add", "mcp_a_remove"]) {
          assert.include(yield* ask("main", through(name, { name: "x" }), SESSION), "OpenClaw's policy denies")
        }
        assert.include(yield* ask("main", through("mcp_a_write", { text: "y" }), SESSION), "written")
        yield* patch(
          { ...entry({ maxTools: null }), tools: { deny: null }, agents: { entries: { main: { tools: null } } } },
          "tools.deny",
          "agents.entries.main.tools.deny"
        )
        yield* givenUntil("main", (found) => found.includes("mcp_a_add"))
      })
    )
  )

  it.live(
    "that are new to the folder go through the single tool until it is written anew and the plugin reloaded",
    () =>
      live(
        Effect.gen(function* () {
          yield* said("mcp_a_add", { name: "later" }, "added")
          const names = yield* givenUntil("main", (found) => found.includes("mcp_live"))
          assert.notInclude(names, "mcp_a_later")
          yield* said("mcp_live", { action: "call", name: "mcp_a_later" }, "this is later")
          yield* Effect.promise(() =>
            writeFolder(BUILT, PLUGIN, [...named("a"), ...named("b"), "mcp_read_more", "mcp_a_late", "mcp_a_later"])
          )
          yield* reload
          yield* givenUntil("main", (found) => found.includes("mcp_a_add") && !found.includes("mcp_live"))
          yield* said("mcp_a_add", { name: "later" }, "added")
          yield* givenUntil("main", (found) => found.includes("mcp_a_later") && !found.includes("mcp_live"))
        })
      )
  )

  it.live("are found and called by name through OpenClaw's tool search", () =>
    live(
      Effect.gen(function* () {
        yield* patch({ tools: { toolSearch: { enabled: true, mode: "tools" } } })
        yield* said("tool_call", { id: "mcp_a_write", args: { text: "z" } }, "written")
        yield* patch({ tools: { toolSearch: false } })
        yield* givenUntil("main", (found) => found.includes("mcp_a_add"))
      })
    )
  )
})

describe.skipIf(real === undefined)("resources of agents in an OpenClaw gateway", () => {
  const BOUNDARIES = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>[^]*<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>/
  /** OpenClaw adds a message of its own in the name of the person. */
  const isPersons = ({ content, role }: Asked["messages"][number]) =>
    role === "user" && !textOf(content).startsWith("<<<BEGIN_OPENCLAW_INTERNAL")
  const lastOf = ({ messages }: Asked) => textOf(messages.findLast(isPersons)?.content)

  it.live("stand in the prompt between their boundaries, once, and are renewed when they change", () =>
    live(
      Effect.gen(function* () {
        yield* said("mcp_a_write", { text: "the first note" }, "written")
        const fresh = (message: string) => ask("main", message, "t-context")
        yield* fresh("SAY hello").pipe(
          Effect.andThen(asked),
          Effect.repeat({ until: (request) => lastOf(request).includes("the first note"), times: TRIES })
        )
        const first = yield* Effect.andThen(fresh("SAY hello again"), asked)
        const block = BOUNDARIES.exec(lastOf(first))?.[0]
        assert.include(block, "the first note")
        assert.include(lastOf(first), "hello again")
        assert.strictEqual(times(first, "the first note"), 1)
        assert.isFalse(
          first.messages.some(({ content, role }) => role === "system" && textOf(content).includes("the first note"))
        )
        yield* said("mcp_a_write", { text: "the second note" }, "written")
        const second = yield* fresh("SAY and now").pipe(
          Effect.andThen(asked),
          Effect.repeat({ until: (request) => lastOf(request).includes("the second note"), times: TRIES })
        )
        assert.include(BOUNDARIES.exec(lastOf(second))?.[0], "the second note")
        assert.notInclude(lastOf(second), "the first note")
        const other = yield* Effect.andThen(ask("other", "SAY hello", "t-context"), asked)
        assert.include(lastOf(other), "the note of other")
        assert.notInclude(lastOf(other), "the second note")
      })
    )
  )

  it.live("stay out where the operator does not allow it", () =>
    live(
      Effect.gen(function* () {
        yield* patch({ plugins: { entries: { "mcp-live": { hooks: { allowConversationAccess: null } } } } })
        const without = yield* ask("main", "SAY hello", "t-without").pipe(
          Effect.andThen(asked),
          Effect.repeat({ until: (request) => times(request, "first note of main") === 0, times: TRIES })
        )
        assert.strictEqual(times(without, "first note of main"), 0)
        yield* givenUntil("main", (names) => names.includes("mcp_a_add"))
      })
    )
  )
})
