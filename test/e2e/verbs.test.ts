/** Resources, prompts, completions, and what servers ask for, on the command line: against real servers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pathToFileURL } from "node:url"
import { hostile, serverPath } from "../fixtures/servers.ts"
import { provider } from "../support/modelProvider.ts"
import { runHere } from "./here.ts"
import { configFile, run, saidBesides } from "./program.ts"
import { isFull } from "../support/full.ts"

const BEGIN = /^<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>$/m
const EVERYTHING = {
  command: "node",
  args: [serverPath("everything"), "stdio"]
}

/** Two servers that have resources, and the one of them that has everything else. */
const TWO = {
  mcp: { servers: { everything: EVERYTHING, memory: { command: "node", args: [serverPath("memory")] } } }
}
const ONE = { mcp: { servers: { everything: EVERYTHING } } }
const flags = (config: object) => Effect.map(configFile(config), (file) => ["--config", file])

const TEXT_TEMPLATE = "demo://resource/dynamic/text/{resourceId}"
const COMPLETABLE = "everything/completable-prompt"

interface Entry {
  readonly name: string
  readonly server: string
  readonly uri: string
  readonly uriTemplate: string
}

interface Document {
  readonly agent: string
  readonly tools: ReadonlyArray<Entry>
  readonly resources: ReadonlyArray<Entry>
  readonly resourceTemplates: ReadonlyArray<Entry>
  readonly prompts: ReadonlyArray<Entry>
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly pieces: ReadonlyArray<{ readonly text: string }>
  readonly messages: ReadonlyArray<{ readonly role: string }>
  readonly values: ReadonlyArray<string>
  readonly error: { readonly tag: string; readonly message: string }
}

/** The one document that `--json` prints. */
const document = (stdout: string): Document => JSON.parse(stdout) as Document

describe("mcp-live resources, read and context", () => {
  it.live("list the resources and templates of every server, or of one", () =>
    Effect.gen(function* () {
      const config = yield* flags(TWO)
      const { code, stdout } = yield* run(["resources", "--json", "--wait", ...config])
      const all = document(stdout)
      assert.hasAllKeys(all, ["agent", "connecting", "resources", "resourceTemplates"])
      assert.deepStrictEqual([code, all.agent], [0, "main"])
      const servers = new Set(all.resources.map(({ server }) => server))
      assert.sameMembers([...servers], ["everything", "memory"])
      for (const resource of all.resources) {
        assert.containsAllKeys(resource, ["server", "uri", "name", "description"])
      }
      assert.include(
        all.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        TEXT_TEMPLATE
      )
      const one = document((yield* runHere(["resources", "--server", "memory", "--json", ...config])).stdout)
      assert.deepStrictEqual(
        one.resources.map(({ uri }) => uri),
        ["memory://knowledge-graph"]
      )
      assert.isEmpty(one.resourceTemplates)
      const templates = document((yield* runHere(["resources", "--templates", "--json", ...config])).stdout)
      assert.hasAllKeys(templates, ["agent", "connecting", "resourceTemplates"])
      assert.deepStrictEqual(templates.resourceTemplates, all.resourceTemplates)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("as a table, with a hint at the templates, which have their own", () =>
    Effect.gen(function* () {
      const config = yield* flags(TWO)
      const { stderr, stdout } = yield* runHere(["resources", ...config])
      assert.match(stdout, /^URI +SERVER +TYPE +DESCRIPTION\n/)
      assert.match(stdout, /^memory:\/\/knowledge-graph +memory +application\/json +Knowledge Graph/m)
      assert.include(stderr, "mcp-live resources --templates")
      assert.include((yield* runHere(["resources", "--templates", ...config])).stdout, TEXT_TEMPLATE)
    }).pipe(Effect.scoped)
  )

  it.live("read gives a resource, listed or from a template, wrapped and as its pieces", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const listed = yield* run(["read", "demo://resource/static/document/features.md", ...config])
      assert.match(listed.stdout, BEGIN)
      assert.include(listed.stdout, "Features")
      const made = yield* runHere([
        "read",
        "demo://resource/dynamic/text/7",
        "--server",
        "everything",
        "--json",
        ...config
      ])
      assert.strictEqual(made.code, 0)
      const reading = document(made.stdout)
      assert.match(reading.content[0]?.text ?? "", BEGIN)
      assert.match(reading.pieces[0]?.text ?? "", /^Resource 7: /)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("what cannot be read is one line or one document, and exit code 1", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const plain = yield* runHere(["read", "demo://nowhere", ...config])
      assert.deepStrictEqual([plain.code, plain.stdout], [1, ""])
      // On a busy machine it also says which servers it waits for.
      const [line, ...more] = saidBesides(plain).split("\n")
      assert.match(line!, /^mcp-live: Resource 'demo:\/\/nowhere'/)
      assert.deepStrictEqual(more, [""])
      const json = yield* runHere(["read", "demo://nowhere", "--server", "everything", "--json", ...config])
      assert.strictEqual(json.code, 1)
      assert.deepStrictEqual(Object.keys(document(json.stdout)), ["error"])
      assert.strictEqual(document(json.stdout).error.tag, "ResourceNotFound")
      assert.include(document(json.stdout).error.message, "demo://nowhere")
    }).pipe(Effect.scoped)
  )

  it.live("a server that is not configured is wrong use", () =>
    Effect.gen(function* () {
      const config = yield* flags(TWO)
      for (const args of [["resources"], ["read", "demo://x"], ["complete", "resource", TEXT_TEMPLATE, "resourceId"]]) {
        const { code, stderr, stdout } = yield* runHere([...args, "--server", "memry", ...config])
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
        assert.include(stderr, "did you mean 'memory'?")
      }
    }).pipe(Effect.scoped)
  )

  it.live("context prints the block for an agent", () =>
    Effect.gen(function* () {
      const config = yield* flags(TWO)
      const { stdout } = yield* run(["context", ...config])
      assert.match(stdout, BEGIN)
      assert.include(stdout, "memory://knowledge-graph")
      const json = yield* runHere(["context", "--json", ...config])
      assert.hasAllKeys(document(json.stdout), ["agent", "context"])
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live prompts, prompt and complete", () => {
  it.live("list the prompts with their arguments", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const { stdout } = yield* run(["prompts", ...config])
      assert.match(stdout, /^mcp_everything_args-prompt +everything +city \[state\] +\S/m)
      const all = document((yield* runHere(["prompts", "--json", ...config])).stdout)
      assert.hasAllKeys(all, ["agent", "connecting", "prompts"])
      for (const prompt of all.prompts) assert.containsAllKeys(prompt, ["name", "server", "prompt", "arguments"])
    }).pipe(Effect.scoped)
  )

  it.live("fill a prompt in, by any of its names and with words or JSON", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const byName = ["mcp_everything_args-prompt", "city=Lisbon"]
      const uses = [byName, ["everything/args-prompt", "--args", '{"city":"Lisbon"}'], ["args-prompt", "city=Lisbon"]]
      for (const args of uses) {
        const { code, stdout } = yield* runHere(["prompt", ...args, ...config])
        assert.strictEqual(code, 0)
        assert.match(stdout, BEGIN)
        assert.include(stdout, "Lisbon")
      }
      const json = document((yield* run(["prompt", ...byName, "--json", ...config])).stdout)
      assert.include(JSON.stringify(json), '"server":"everything","prompt":"args-prompt"')
      assert.strictEqual(json.messages[0]?.role, "user")
    }).pipe(Effect.scoped)
  )

  it.live("an unknown prompt, or one without what it needs, is exit code 1", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const unknown = yield* runHere(["prompt", "args-promt", "city=x", "--json", ...config])
      assert.strictEqual(unknown.code, 1)
      assert.strictEqual(document(unknown.stdout).error.tag, "PromptNotFound")
      const missing = yield* runHere(["prompt", "everything/args-prompt", ...config])
      assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
      assert.include(missing.stderr, "'city'")
    }).pipe(Effect.scoped)
  )

  it.live("complete suggests one value per line, and takes given arguments into account", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const { code, stdout } = yield* run(["complete", "prompt", COMPLETABLE, "department", "S", ...config])
      assert.deepStrictEqual([code, stdout.trim().split("\n").toSorted()], [0, ["Sales", "Support"]])
      const ofDepartment = (department: string) =>
        Effect.map(
          runHere([
            "complete",
            "prompt",
            COMPLETABLE,
            "name",
            "--given",
            `department=${department}`,
            "--json",
            ...config
          ]),
          (done) => document(done.stdout).values
        )
      assert.notDeepEqual(yield* ofDepartment("Sales"), yield* ofDepartment("Engineering"))
      const resource = yield* runHere(["complete", "resource", TEXT_TEMPLATE, "resourceId", "12", ...config])
      assert.strictEqual(resource.stdout, "12\n")
      const slips = [
        ["prompt", COMPLETABLE, "nope", "E"],
        ["prompt", COMPLETABLE, "name", "--given", "nope=Sales"],
        ["resource", TEXT_TEMPLATE, "nope", "1"]
      ]
      for (const args of slips) {
        const slip = yield* runHere(["complete", ...args, ...config])
        assert.deepStrictEqual([slip.code, slip.stdout], [1, ""], args.join(" "))
        assert.match(
          saidBesides(slip),
          /^mcp-live: [^\n]*'nope' is unknown; there are: '(department', 'name|resourceId)'\n$/
        )
      }
      const none = yield* runHere(["complete", "resource", "demo://none/{x}", "x", "--json", ...config])
      assert.deepStrictEqual([none.code, document(none.stdout).error.tag], [1, "ResourceNotFound"])
    }).pipe(Effect.scoped)
  )
})

describe("what servers ask for", () => {
  it.live("servers get the workspace if --workspace names one, and never the current directory instead", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const roots = ["call", "mcp_everything_get-roots-list", ...config]
      const named = yield* run([...roots, "--workspace", "examples"])
      assert.include(named.stdout, `${pathToFileURL(process.cwd()).href}/examples`)
      const unnamed = yield* runHere(roots)
      assert.strictEqual(unnamed.code, 1)
      assert.notInclude(unnamed.stdout, pathToFileURL(process.cwd()).href)
      const wrong = yield* runHere([...roots, "--workspace", "/no/such/directory"])
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
    }).pipe(Effect.scoped)
  )

  it.live("servers are not offered questions to the user without a terminal", () =>
    Effect.gen(function* () {
      const config = yield* flags(ONE)
      const { stdout } = yield* runHere(["tools", "--json", ...config])
      const names = document(stdout).tools.map(({ name }) => name)
      assert.include(names, "mcp_everything_echo")
      assert.notInclude(names, "mcp_everything_trigger-elicitation-request")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("the model of the agent answers a server that may ask it, and no other", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["Cherry blossoms fall."] })
      const config = yield* configFile({
        agents: {
          defaults: {
            model: { id: "m", baseUrl },
            mcp: { servers: { may: { ...EVERYTHING, sampling: "allow" }, not: EVERYTHING } }
          }
        }
      })
      const tool = "trigger-sampling-request"
      const answered = yield* runHere(["call", `mcp_may_${tool}`, "prompt=a haiku", "--config", config])
      assert.include(answered.stdout, "Cherry blossoms fall.")
      assert.lengthOf(requests, 1)
      assert.include(JSON.stringify(requests[0]?.messages.at(-1)), "a haiku")
      const refused = yield* runHere(["call", `mcp_not_${tool}`, "prompt=a haiku", "--config", config])
      assert.strictEqual(refused.code, 1)
      assert.lengthOf(requests, 1)
    }).pipe(Effect.scoped)
  )
})

describe("what servers send as names and addresses", () => {
  it.live("cannot move the cursor, and no stack is shown", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { h: hostile("poison") } } })
      for (const args of [["resources"], ["resources", "--templates"], ["prompts"], ["context"]]) {
        const { stderr, stdout } = yield* runHere([...args, "--config", config])
        assert.notMatch(stdout + stderr, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/, args.join(" "))
        assert.notInclude(stderr, "    at ")
      }
    }).pipe(Effect.scoped)
  )
})
