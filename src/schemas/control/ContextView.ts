/** What a model gets from an agent's servers, exactly as it reads it. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../data/Json.ts"
import { asIs } from "./Values.ts"

/** A tool as it is sent to a model. */
export const ContextTool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  parameters: asIs<JsonObject>(),
  server: Schema.String,
  /** An estimate, of all that is sent of it. */
  tokens: Schema.Int
})
export type ContextTool = typeof ContextTool.Type

export const ContextValue = Schema.Struct({
  agent: Schema.String,
  /** The resources of all servers as one block; empty without any. */
  resourceBlock: Schema.String,
  resourceTokens: Schema.Int,
  /** In the order in which they are sent. */
  tools: Schema.Array(ContextTool),
  toolTokens: Schema.Int,
  /** Whether search tools stand for the others. */
  isSearched: Schema.Boolean,
  /** Of the tools that are found by a search; 0 without one. */
  searchedTokens: Schema.Int,
  /** The limits that apply. */
  budgets: Schema.Struct({
    /** Of the resource block. */
    resourceBytes: Schema.Int,
    /** Of one result, by the name of the server. */
    results: Schema.Record(Schema.String, Schema.Struct({ bytes: Schema.Int, blocks: Schema.Int }))
  })
})
export type ContextValue = typeof ContextValue.Type
