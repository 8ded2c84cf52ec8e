/**
 * The JSON Schema of a configuration, for editors. It accepts what `validate` accepts, and rejects what is wrong in itself:
 * wrong types and words, unknown keys. Rules between keys are left to `validate`.
 */
import { SECTIONS } from "./AllSections.ts"
import { AGENT_ID } from "./AgentEntries.ts"
import { INERT_KEYS as INERT_IN_SERVERS } from "./Dialects.ts"
import { type JsonSchema, objectOf, valueOf } from "./JsonSchema.ts"
import { text } from "./Keys.ts"
import { MODEL_KEYS } from "./ModelEntry.ts"
import { INERT_KEYS as INERT_IN_MCP, TOOL_INDEX_KEYS } from "./ServerEntries.ts"
import { SERVER_KEYS } from "./ServerKeys.ts"
import { RULE_KEYS } from "./RuleKeys.ts"

const ref = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` })

/** Other programs have keys of their own in this object. */
const open = (schema: JsonSchema): JsonSchema => ({ ...schema, additionalProperties: true })

const withInert = (schema: JsonSchema, names: ReadonlyArray<string>): JsonSchema => ({
  ...schema,
  properties: {
    ...(schema["properties"] as JsonSchema),
    ...Object.fromEntries(
      names.map((name) => [name, { description: "belongs to another program; has no effect here" }])
    )
  }
})

const record = (item: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: item })
const mcp = (properties: JsonSchema): JsonSchema => ({ type: "object", properties, additionalProperties: false })

const SERVERS_AND_INDEX = { servers: ref("servers"), toolIndex: ref("toolIndex") }
const RULES = { tools: ref("rules"), toolPolicy: ref("rules") }
const ELSEWHERE = { not: {}, description: "servers of agents belong under `mcp.servers`" }

const AGENT_PROPERTIES = {
  default: { type: "boolean", description: "whether this is the default agent" },
  mcp: mcp(SERVERS_AND_INDEX),
  model: ref("model"),
  ...RULES,
  servers: ELSEWHERE,
  mcpServers: ELSEWHERE
}

const ALL = Object.values(SECTIONS)
const OURS = Object.fromEntries(ALL.map(({ name }) => [name, ref(name)]))
/** Where other programs have their own section `secrets`. */
const { secrets: _, ...WITHOUT_SECRETS } = OURS

export const CONFIG_SCHEMA: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Configuration of mcp-live",
  type: "object",
  properties: {
    $schema: { type: "string", description: "the location of this file's schema, for editors" },
    agents: {
      type: "object",
      properties: {
        defaults: { type: "object", description: "settings for every agent", properties: AGENT_PROPERTIES },
        list: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string", pattern: AGENT_ID.source }, ...AGENT_PROPERTIES },
            required: ["id"]
          }
        },
        entries: record({ type: "object", properties: AGENT_PROPERTIES })
      }
    },
    mcp: withInert(mcp({ ...SERVERS_AND_INDEX, ...OURS }), INERT_IN_MCP),
    mcpServers: ref("servers"),
    servers: ref("servers"),
    gateway: { type: "object", properties: RULES },
    ...RULES
  },
  // Next to these the sections are ours; at the top of an openclaw.json they are OpenClaw's.
  dependencies: {
    servers: { properties: OURS },
    mcpServers: { properties: WITHOUT_SECRETS }
  },
  definitions: {
    servers: { description: "MCP servers by name", ...record(ref("server")) },
    server: withInert(objectOf(SERVER_KEYS), INERT_IN_SERVERS),
    toolIndex: { anyOf: [{ const: false }, objectOf(TOOL_INDEX_KEYS)] },
    rules: open(objectOf(RULE_KEYS)),
    model: { anyOf: [valueOf(text), open(objectOf(MODEL_KEYS))] },
    ...Object.fromEntries(ALL.map(({ keys, name }) => [name, objectOf(keys)]))
  }
}
