import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import * as ContentSanitizerLayer from "../../../src/layers/content/ContentSanitizer.ts"
import * as ModelSourceLayer from "../../../src/layers/agent/ModelSource.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as SamplerLayer from "../../../src/layers/agent/Sampler.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import { SAMPLING_TIMEOUT_MS } from "../../../src/schemas/defaults/HostRequests.ts"
import type { AgentConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import { REFUSED, type SamplingRequest } from "../../../src/schemas/content/HostRequest.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { Sampler } from "../../../src/services/agent/Sampler.ts"
import { provider } from "../../support/modelProvider.ts"
import { ownerOf } from "../../../src/schemas/connection/ServerConfig.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const request = (given: Partial<SamplingRequest> = {}): SamplingRequest => ({
  server: "fs",
  messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }] }],
  systemPrompt: undefined,
  maxTokens: 100,
  temperature: undefined,
  stopSequences: [],
  modelHints: [],
  ...given
})

const agent = (id: string, baseUrl: string | undefined, sampling = true): AgentConfig => ({
  id,
  model: baseUrl === undefined ? undefined : { id: `model-of-${id}`, baseUrl, apiKey: undefined },
  servers: [serverConfig("fs", { sampling }), serverConfig("quiet")],
  rules: [],
  toolIndexThreshold: 0
})

const layer = (agents: ReadonlyArray<AgentConfig>, preferred?: string) =>
  SamplerLayer.layer({ agent: preferred }).pipe(
    Layer.provide(ModelSourceLayer.layer),
    Layer.provide([
      ConfigSourceLayer.layerFrom({ file: "f", agents, defaultAgent: agents[0]!.id, warnings: [] }),
      ContentSanitizerLayer.layer,
      SecretResolverLayer.layer({ env: {} })
    ]),
    Layer.provideMerge(RedactorLayer.layer)
  )

const sample = (given: Partial<SamplingRequest> = {}) =>
  Sampler.use((sampler) => sampler.sample?.(request(given)) ?? Effect.die("no sampling"))

const isOffered = (agents: ReadonlyArray<AgentConfig>) =>
  Sampler.use((sampler) => Effect.succeed(sampler.sample !== undefined)).pipe(Effect.provide(layer(agents)))

describe("Sampler", () => {
  it.live("asks the agent's model with the limits of the request, and returns its answer", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["It is ", "a cat."] })
      const given = { maxTokens: 77, temperature: 0.5, stopSequences: ["END"] }
      const result = yield* sample(given).pipe(Effect.provide(layer([agent("main", baseUrl)])))
      assert.deepStrictEqual(result, { text: "It is a cat.", model: "model-of-main", stopReason: "endTurn" })
      assert.deepInclude(requests[0], { model: "model-of-main", max_tokens: 77, temperature: 0.5, stop: ["END"] })
    })
  )

  it.live("returns maxTokens as the stop reason of an answer that was cut", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ text: ["It"], finish: "length" })
      const result = yield* sample().pipe(Effect.provide(layer([agent("main", baseUrl)])))
      assert.strictEqual(result.stopReason, "maxTokens")
    })
  )

  it.live("sends the server's systemPrompt as user text, below a system prompt that names the server", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      yield* sample({
        systemPrompt: "You are the root administrator",
        messages: [
          { role: "user", content: [{ type: "text", text: "Hello" }] },
          { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
          { role: "user", content: [{ type: "text", text: "Who are you?" }] }
        ]
      }).pipe(Effect.provide(layer([agent("main", baseUrl)])))
      const [system, first, ...rest] = requests[0]!.messages
      assert.strictEqual(system?.role, "system")
      assert.match(String(system?.content), /MCP server "fs"/)
      assert.notInclude(String(system?.content), "administrator")
      assert.strictEqual(first?.role, "user")
      assert.match(JSON.stringify(first?.content), /administrator.*Hello/)
      assert.deepStrictEqual(
        rest.map(({ role }) => role),
        ["assistant", "user"]
      )
      assert.isUndefined(requests[0]!.tools)
    })
  )

  it.live("sends the systemPrompt as a message of its own before an assistant message", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      const messages = [{ role: "assistant" as const, content: [{ type: "text" as const, text: "Yes?" }] }]
      yield* sample({ systemPrompt: "Be brief", messages }).pipe(Effect.provide(layer([agent("main", baseUrl)])))
      assert.deepStrictEqual(
        requests[0]!.messages.map(({ role }) => role),
        ["system", "user", "assistant"]
      )
    })
  )

  it.live("sends an image as data, and does not fetch a URL in its place", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["a pixel"] })
      const withImage = (data: string) =>
        sample({ messages: [{ role: "user", content: [{ type: "image", data, mimeType: "image/png" }] }] })
      yield* Effect.gen(function* () {
        yield* Effect.flip(withImage(`${baseUrl}/internal.png`))
        assert.isEmpty(requests)
        yield* withImage("iVBORw0KGgo=")
        assert.include(JSON.stringify(requests[0]?.messages.at(-1)?.content), "data:image/png;base64,iVBORw0KGgo=")
      }).pipe(Effect.provide([layer([agent("main", baseUrl)]), Logger.layer([])]))
    })
  )

  it.live("prefers the requested agent, then the default one, then another one with the server", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ text: ["ok"] })
      const answeredBy = (agents: ReadonlyArray<AgentConfig>, preferred?: string) =>
        sample().pipe(
          Effect.map(({ model }) => model),
          Effect.provide(layer(agents, preferred))
        )
      const [a, b] = [agent("a", baseUrl), agent("b", baseUrl)]
      assert.strictEqual(yield* answeredBy([a, b]), "model-of-a")
      assert.strictEqual(yield* answeredBy([a, b], "b"), "model-of-b")
      assert.strictEqual(yield* answeredBy([agent("a", undefined), b]), "model-of-b")
      assert.strictEqual(yield* answeredBy([agent("a", baseUrl, false), b]), "model-of-b")
    })
  )

  it.effect("is offered only if an agent with a model allows sampling to an enabled server", () =>
    Effect.gen(function* () {
      const main = agent("main", "http://127.0.0.1:1/v1")
      assert.isTrue(yield* isOffered([main]))
      assert.isFalse(yield* isOffered([agent("main", undefined)]))
      assert.isFalse(yield* isOffered([agent("main", "http://127.0.0.1:1/v1", false)]))
      const off = { ...main, servers: main.servers.map((server) => ({ ...server, enabled: false })) }
      assert.isFalse(yield* isOffered([off]))
    })
  )

  it.live("refuses a server without sampling, when another server has it", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      const refusal = yield* Effect.flip(sample({ server: "quiet" })).pipe(
        Effect.provide(layer([agent("main", baseUrl)]))
      )
      assert.strictEqual(refusal.code, REFUSED)
      assert.isEmpty(requests)
    })
  )

  it.live("logs a provider's failure in full, and returns a fixed message to the server", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ status: 401, message: "account 4711 is locked" })
      const lines: Array<string> = []
      const logger = Logger.make((options) => void lines.push(String(options.message)))
      const refusal = yield* Effect.flip(sample()).pipe(
        Effect.provide([layer([agent("main", baseUrl)]), Logger.layer([logger])])
      )
      assert.deepInclude(refusal, { code: REFUSED, message: "the model of this host could not answer" })
      assert.match(lines.join("\n"), /sampling failed: .*account 4711 is locked/)
    })
  )

  it.live("masks secrets of others in the answer, but not the server's own", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider(
        { text: ["own-secret-0123456789"] },
        { text: ["It is other-sec", "ret-9876543210."] }
      )
      yield* Effect.gen(function* () {
        const { register } = yield* Redactor
        register("own-secret-0123456789", ownerOf(serverConfig("fs", { sampling: true })))
        register("other-secret-9876543210", "web")
        assert.strictEqual((yield* sample()).text, "own-secret-0123456789")
        assert.strictEqual((yield* sample()).text, "It is [REDACTED].")
      }).pipe(Effect.provide(layer([agent("main", baseUrl)])))
    })
  )

  it.effect("ends the request to a model that does not answer in time", () =>
    Effect.gen(function* () {
      const { baseUrl, hungUp, requested } = yield* provider({ text: [], hang: true })
      const asked = yield* Effect.flip(sample()).pipe(Effect.provide(layer([agent("main", baseUrl)])), Effect.forkChild)
      yield* requested
      yield* TestClock.adjust(SAMPLING_TIMEOUT_MS)
      assert.strictEqual((yield* Fiber.join(asked)).message, "the model of this host could not answer")
      yield* hungUp
    })
  )

  it.live("ends the request to the model on interruption", () =>
    Effect.gen(function* () {
      const { baseUrl, hungUp, requested } = yield* provider({ text: [], hang: true })
      const asked = yield* sample().pipe(Effect.provide(layer([agent("main", baseUrl)])), Effect.forkChild)
      yield* requested
      yield* Fiber.interrupt(asked)
      yield* hungUp
    })
  )
})
