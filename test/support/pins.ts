/** Servers and definitions for tests of pins. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as DefinitionLedgerLayer from "../../src/layers/call/DefinitionLedger.ts"
import { EMPTY, type Catalogue, type ToolDefinition } from "../../src/schemas/connection/Catalogue.ts"
import type { ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { auditInto, type Decided } from "./audit.ts"
import { sanitizer } from "./sanitizer.ts"
import { serverConfig } from "./serverConfig.ts"

export const tool = (
  name: string,
  description = `Does ${name}`,
  more: Partial<ToolDefinition> = {}
): ToolDefinition => ({
  name,
  title: undefined,
  description,
  inputSchema: { type: "object" },
  outputSchema: undefined,
  annotations: undefined,
  taskSupport: "forbidden",
  ...more
})

export const catalogue = (tools: ReadonlyArray<ToolDefinition>, instructions?: string): Catalogue => ({
  ...EMPTY,
  tools,
  instructions
})

export const pinned = (name: string, pin: ServerConfig["pin"], more: Partial<ServerConfig> = {}) =>
  serverConfig(name, { pin, ...more })

export interface Heard {
  /** What was logged from `Warn` on. */
  readonly lines: Array<string>
  readonly decided: Array<Decided>
}

export const heard = (): Heard => ({ lines: [], decided: [] })

/** A ledger over a directory, with a sanitizer and a redactor; each use of it is a process of its own. */
export const ledgerIn = (directory: string, { decided, lines }: Heard = heard(), configuration?: string) => {
  const capture = Logger.make<unknown, void>(({ message }) => {
    lines.push(Array.isArray(message) ? message.join(" ") : String(message))
  })
  return DefinitionLedgerLayer.layer({ directory, configuration }).pipe(
    Layer.provideMerge(sanitizer),
    Layer.provide(auditInto([], [], decided)),
    Layer.provideMerge(Logger.layer([capture])),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )
}
