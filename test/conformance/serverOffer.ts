/** The tools, resources and prompts that the suite's server scenarios call by name. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../src/schemas/data/Json.ts"
import { RequestRefused } from "../../src/schemas/listener/ListenerError.ts"
import { LOG_LEVELS } from "../../src/schemas/connection/LogMessage.ts"
import type { AskedMethod, RequestContext, McpOffer, OfferChange } from "../../src/services/listener/McpListener.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="

const textBlock = (text: string): JsonObject => ({ type: "text", text })
const image: JsonObject = { type: "image", data: PNG, mimeType: "image/png" }
const embedded = (uri: string, mimeType: string, text: string): JsonObject => ({
  type: "resource",
  resource: { uri, mimeType, text }
})
const result = (...content: ReadonlyArray<JsonObject>): JsonObject => ({ content })
const said = (text: string) => Effect.succeed(result(textBlock(text)))

const invalid = (message: string, data?: JsonObject) =>
  new RequestRefused({ code: -32_602, message, ...(data === undefined ? {} : { data }) })

const missing = (capability: string) =>
  new RequestRefused({
    code: -32_021,
    message: "The client does not declare what is needed",
    data: { requiredCapabilities: { [capability]: {} } }
  })

const form = (message: string, properties: JsonObject): JsonObject => ({
  message,
  requestedSchema: { type: "object", properties, required: Object.keys(properties) }
})
const sampling = (text: string, maxTokens: number): JsonObject => ({
  messages: [{ role: "user", content: textBlock(text) }],
  maxTokens
})

type Tool = (args: JsonObject, exchange: RequestContext) => Effect.Effect<JsonObject, RequestRefused>

const ask = ({ ask: put }: RequestContext, method: AskedMethod, params: JsonObject, name?: string) =>
  Effect.mapError(put(method, params, name), ({ detail }) => invalid(detail))

const STRING: JsonObject = { type: "string" }

const completed = (answer: JsonObject) =>
  result(
    textBlock(`Elicitation completed: action=${String(answer["action"])}, content=${JSON.stringify(answer["content"])}`)
  )

const titled = (...values: ReadonlyArray<readonly [string, string]>) =>
  values.map(([value, title]) => ({ const: value, title }))

const ENUMS: JsonObject = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: {
    type: "string",
    oneOf: titled(["value1", "First Option"], ["value2", "Second Option"], ["value3", "Third Option"])
  },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: {
    type: "array",
    items: { anyOf: titled(["value1", "First Choice"], ["value2", "Second Choice"], ["value3", "Third Choice"]) }
  }
}

const DEFAULTS: JsonObject = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true }
}

const SCHEMA_2020_12: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

const tools = (changes: PubSub.PubSub<OfferChange>): Readonly<Record<string, Tool>> => ({
  test_simple_text: () => said("This is a simple text response for testing."),
  test_image_content: () => Effect.succeed(result(image)),
  test_audio_content: () => Effect.succeed(result({ type: "audio", data: WAV, mimeType: "audio/wav" })),
  test_embedded_resource: () =>
    Effect.succeed(result(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
  test_multiple_content_types: () =>
    Effect.succeed(
      result(
        textBlock("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
      )
    ),
  test_error_handling: () =>
    Effect.succeed({
      ...result(textBlock("This tool intentionally returns an error for testing")),
      isError: true
    }),
  test_tool_with_logging: (_, { log }) =>
    Effect.gen(function* () {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        log({ level: "info", data, logger: "fixtures" })
        yield* Effect.sleep(50)
      }
      return result(textBlock("Tool with logging executed"))
    }),
  test_logging_tool: (_, { log }) =>
    Effect.sync(() => {
      for (const level of LOG_LEVELS) log({ level, data: `said at ${level}` })
      return result(textBlock("All levels said"))
    }),
  test_tool_with_progress: (_, { progress }) =>
    Effect.gen(function* () {
      for (const value of [0, 50, 100]) {
        progress({ progress: value, total: 100, message: undefined })
        yield* Effect.sleep(50)
      }
      return result(textBlock("Tool with progress executed"))
    }),
  test_sampling: ({ prompt }, exchange) =>
    Effect.map(ask(exchange, "sampling/createMessage", sampling(String(prompt), 100)), ({ content }) =>
      result(textBlock(`LLM response: ${JSON.stringify(content)}`))
    ),
  test_elicitation: ({ message }, exchange) =>
    Effect.map(
      ask(exchange, "elicitation/create", form(String(message), { username: STRING, email: STRING })),
      (answer) => result(textBlock(`User response: ${JSON.stringify(answer)}`))
    ),
  test_elicitation_sep1034_defaults: (_, exchange) =>
    Effect.map(ask(exchange, "elicitation/create", form("Please review", DEFAULTS)), completed),
  test_elicitation_sep1330_enums: (_, exchange) =>
    Effect.map(ask(exchange, "elicitation/create", form("Please choose", ENUMS)), completed),
  test_missing_capability: (_, { can }) => (can.sampling ? said("There it is") : Effect.fail(missing("sampling"))),
  test_streaming_elicitation: (_, exchange) =>
    Effect.map(ask(exchange, "elicitation/create", form("Who?", { name: STRING })), completed),
  test_trigger_tool_change: () => Effect.andThen(PubSub.publish(changes, { kind: "tools" }), said("changed")),
  test_trigger_prompt_change: () => Effect.andThen(PubSub.publish(changes, { kind: "prompts" }), said("changed")),
  test_input_required_result_elicitation: (_, exchange) =>
    Effect.map(
      ask(exchange, "elicitation/create", form("What is your name?", { name: STRING }), "user_name"),
      ({ content }) => result(textBlock(`Hello, ${String((content as JsonObject | undefined)?.["name"])}!`))
    ),
  test_input_required_result_sampling: (_, exchange) =>
    Effect.map(
      ask(exchange, "sampling/createMessage", sampling("What is the capital of France?", 100), "capital_question"),
      ({ content }) => result(textBlock(JSON.stringify(content)))
    ),
  test_input_required_result_list_roots: (_, exchange) =>
    Effect.map(ask(exchange, "roots/list", {}, "client_roots"), ({ roots }) =>
      result(textBlock(JSON.stringify(roots)))
    ),
  test_input_required_result_request_state: (_, exchange) =>
    Effect.as(
      ask(exchange, "elicitation/create", form("Please confirm", { ok: { type: "boolean" } }), "confirm"),
      result(textBlock("state-ok"))
    ),
  test_input_required_result_tampered_state: (_, exchange) =>
    Effect.as(
      ask(exchange, "elicitation/create", form("Please confirm", { ok: { type: "boolean" } }), "confirm"),
      result(textBlock("state-ok"))
    ),
  test_input_required_result_multiple_inputs: (_, exchange) =>
    Effect.map(
      Effect.all(
        [
          ask(exchange, "elicitation/create", form("What is your name?", { name: STRING }), "user_name"),
          ask(exchange, "sampling/createMessage", sampling("Generate a greeting", 50), "greeting"),
          ask(exchange, "roots/list", {}, "client_roots")
        ],
        { concurrency: "unbounded" }
      ),
      (answers) => result(textBlock(JSON.stringify(answers)))
    ),
  test_input_required_result_multi_round: (_, exchange) =>
    Effect.gen(function* () {
      const step1 = yield* ask(
        exchange,
        "elicitation/create",
        form("Step 1: What is your name?", { name: STRING }),
        "step1"
      )
      const step2 = yield* ask(
        exchange,
        "elicitation/create",
        form("Step 2: What is your favorite color?", { color: STRING }),
        "step2"
      )
      return result(textBlock(JSON.stringify([step1, step2])))
    }),
  test_input_required_result_capabilities: (_, exchange) =>
    Effect.map(
      exchange.can.elicitation.form
        ? ask(exchange, "elicitation/create", form("Who?", { name: STRING }))
        : ask(exchange, "sampling/createMessage", sampling("Who?", 10)),
      (answer) => result(textBlock(JSON.stringify(answer)))
    ),
  json_schema_2020_12_tool: () => said("ok"),
  greet: ({ name }) => said(`Hello, ${String(name)}!`),
  slow_compute: ({ seconds }) => Effect.andThen(Effect.sleep(`${Number(seconds)} seconds`), said("computed")),
  failing_job: () => Effect.as(Effect.sleep("1 second"), { ...result(textBlock("The job failed")), isError: true }),
  protocol_error_job: () =>
    Effect.andThen(Effect.sleep("1 second"), Effect.fail(new RequestRefused({ code: -32_603, message: "Broken" }))),
  confirm_delete: (_, exchange) =>
    Effect.andThen(
      Effect.sleep("1 second"),
      Effect.map(ask(exchange, "elicitation/create", form("Delete?", { confirm: { type: "boolean" } })), completed)
    ),
  multi_input: (_, exchange) =>
    Effect.andThen(
      Effect.sleep("1 second"),
      Effect.map(
        Effect.all(
          [
            ask(exchange, "elicitation/create", form("First?", { name: STRING })),
            ask(exchange, "elicitation/create", form("Second?", { name: STRING }))
          ],
          { concurrency: "unbounded" }
        ),
        (answers) => result(textBlock(JSON.stringify(answers)))
      )
    ),
  test_tool_with_task: (_, exchange) =>
    Effect.gen(function* () {
      const answer = yield* ask(exchange, "elicitation/create", form("Who?", { name: STRING }), "user_name")
      yield* Effect.sleep("1 second")
      return result(textBlock(JSON.stringify(answer)))
    })
})

const promptMessages = (...content: ReadonlyArray<JsonObject>): JsonObject => ({
  messages: content.map((one) => ({ role: "user", content: one }))
})

const PROMPTS: Readonly<Record<string, Tool>> = {
  test_simple_prompt: () => Effect.succeed(promptMessages(textBlock("This is a simple prompt for testing."))),
  test_prompt_with_arguments: ({ arg1, arg2 }) =>
    Effect.succeed(promptMessages(textBlock(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`))),
  test_prompt_with_embedded_resource: ({ resourceUri }) =>
    Effect.succeed(
      promptMessages(
        embedded(String(resourceUri), "text/plain", "Embedded resource content for testing."),
        textBlock("Please process the embedded resource above.")
      )
    ),
  test_prompt_with_image: () => Effect.succeed(promptMessages(image, textBlock("Please analyze the image above."))),
  test_input_required_result_prompt: (_, exchange) =>
    Effect.map(
      ask(
        exchange,
        "elicitation/create",
        form("What context should the prompt use?", { context: STRING }),
        "user_context"
      ),
      (answer) => promptMessages(textBlock(JSON.stringify(answer)))
    )
}

const PROMPT_ARGUMENTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"]
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/

const contentsOf = (uri: string): JsonObject | undefined => {
  const id = TEMPLATE.exec(uri)?.[1]
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { uri, mimeType: "application/json", text }
  }
  switch (uri) {
    case "test://static-text":
      return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." }
    case "test://static-binary":
      return { uri, mimeType: "image/png", blob: PNG }
    case "test://watched-resource":
      return { uri, mimeType: "text/plain", text: "Watched" }
    default:
      return undefined
  }
}

const RESOURCES = ["test://static-text", "test://static-binary", "test://watched-resource"]

export const makeConformanceOffer = (changes: PubSub.PubSub<OfferChange>): McpOffer => {
  const all = tools(changes)
  return {
    name: "mcp-live-conformance",
    title: "The suite's fixtures",
    tasks: true,
    logs: true,
    changes: Stream.fromPubSub(changes),
    handlers: {
      "tools/list": () =>
        Effect.succeed({
          tools: Object.keys(all).map((name) => ({
            name,
            description: name,
            inputSchema: name === "json_schema_2020_12_tool" ? SCHEMA_2020_12 : { type: "object" }
          }))
        }),
      "tools/call": ({ arguments: args, name }, exchange) =>
        all[String(name)]?.((args ?? {}) as JsonObject, exchange) ?? Effect.fail(invalid("Unknown tool")),
      "resources/list": () =>
        Effect.succeed({ resources: RESOURCES.map((uri) => ({ uri, name: uri, description: uri })) }),
      "resources/templates/list": () =>
        Effect.succeed({ resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }] }),
      "resources/read": ({ uri }) => {
        const contents = contentsOf(String(uri))
        return contents === undefined
          ? Effect.fail(invalid("Resource not found", { uri }))
          : Effect.succeed({ contents: [contents] })
      },
      "prompts/list": () =>
        Effect.succeed({
          prompts: Object.keys(PROMPTS).map((name) => ({
            name,
            description: name,
            arguments: (PROMPT_ARGUMENTS[name] ?? []).map((argument) => ({ name: argument, required: true }))
          }))
        }),
      "prompts/get": ({ arguments: args, name }, exchange) =>
        PROMPTS[String(name)]?.((args ?? {}) as JsonObject, exchange) ?? Effect.fail(invalid("Unknown prompt")),
      "completion/complete": () =>
        Effect.succeed({ completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } })
    }
  }
}
