/** The official clients of both eras, as a chaos run needs them: patient with broken streams, and each call with a deadline. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

export type Era = "2025-11-25" | "2026-07-28"

export interface ChaosClient {
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<unknown>
  readonly session: () => string | undefined
  readonly close: () => Promise<void>
}

/** Longer than any fault lasts. */
export const DEADLINE_MS = 60_000

const INFO = { name: "chaos", version: "0" }

/** A stream that breaks is taken up again until its call has had its time. */
const PATIENT = {
  initialReconnectionDelay: 200,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 1_000
}

const options = { timeout: DEADLINE_MS }

const connectLegacy = async (url: URL, token: string): Promise<ChaosClient> => {
  const client = new LegacyClient(INFO)
  client.onerror = () => {}
  const http = new LegacyHttp(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: PATIENT
  })
  // Its types were written without exact optional properties.
  await client.connect(http as Parameters<LegacyClient["connect"]>[0], options)
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, undefined, options),
    session: () => http.sessionId,
    close: async () => {
      await http.terminateSession().catch(() => {})
      await client.close()
    }
  }
}

const connectModern = async (url: URL, token: string): Promise<ChaosClient> => {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
  client.onerror = () => {}
  const http = new ModernHttp(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } })
  await client.connect(http, options)
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, options),
    session: () => undefined,
    close: () => client.close()
  }
}

export const connect = (era: Era, url: string, token: string): Promise<ChaosClient> =>
  era === "2025-11-25" ? connectLegacy(new URL(url), token) : connectModern(new URL(url), token)
