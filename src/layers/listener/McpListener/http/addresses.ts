/**
 * The addresses: `/mcp` is everything, `/mcp/NAME` the offer under one name. `/sse` and `/sse/NAME` are the same for clients of
 * 2024-11-05, which send their messages to `/messages`. `/health`, or another path, tells anybody that the program runs, and so does
 * `/health/live`; `/health/ready` tells whether it takes requests.
 */
import { LISTENER_ONLY_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { errorAnswer, type Answer } from "./httpMessages.ts"
import type { Who } from "./tokens.ts"

/** Who asks, and at which address. */
export interface Caller extends Who {
  readonly only: string | undefined
}

/** What one has opened at an address nobody else has, and nobody at another. */
export const keyOf = ({ only, principal }: Caller): string => JSON.stringify([principal, only])

/** Whether both have the same agent, too: what was opened for one agent is not there for another. */
export const isSameHolder = (one: Caller, other: Caller): boolean =>
  keyOf(one) === keyOf(other) && one.agent === other.agent

/** What its latest token says counts for the client from now on. */
export const renew = (who: Caller, latest: Caller): void => {
  Object.assign(who, { identity: latest.identity })
}

/** For a client that is not served; if the address has a name, there is nothing for it there. */
export const notServed = (
  { code, data, message }: RequestRefused,
  { only }: Caller,
  id: unknown,
  unnamed = 200
): Answer => errorAnswer(only === undefined ? unnamed : 404, code, message, id, {}, data)

export const MCP_PATH = "/mcp"
export const MESSAGES_PATH = "/messages"

const PATH = /^\/(?<kind>mcp|sse)(?:\/(?<name>[^/]+))?$/

const decoded = (name: string): string | undefined => {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

export interface Address {
  readonly kind: "health" | "mcp" | "messages" | "ready" | "sse"
  readonly only: string | undefined
}

/** Of the target of a request; nothing where there is nothing. */
export const addressOf = (target: string, named: boolean, health = "/health"): Address | undefined => {
  const path = target.split("?", 1)[0]!
  if (path === health || path === `${health}/live`) return { kind: "health", only: undefined }
  if (path === `${health}/ready`) return { kind: "ready", only: undefined }
  if (path === MESSAGES_PATH) return { kind: "messages", only: undefined }
  const found = PATH.exec(path)
  if (found === null) return undefined
  const kind = found.groups?.["kind"] === "sse" ? "sse" : "mcp"
  const name = found.groups?.["name"]
  if (name === undefined) return { kind, only: undefined }
  const only = named ? decoded(name) : undefined
  return only === undefined || only.length > LISTENER_ONLY_MAX_CHARS ? undefined : { kind, only }
}

const METHODS: Readonly<Record<Address["kind"], ReadonlyArray<string>>> = {
  mcp: ["GET", "POST", "DELETE"],
  health: ["GET", "HEAD"],
  ready: ["GET", "HEAD"],
  sse: ["GET"],
  messages: ["POST"]
}

/** Without sessions there is nothing to open and nothing to end. */
const WITHOUT_SESSIONS: typeof METHODS = { ...METHODS, mcp: ["POST"], sse: [], messages: [] }

export const methodsOf = ({ kind }: Address, hasSessions: boolean): ReadonlyArray<string> =>
  (hasSessions ? METHODS : WITHOUT_SESSIONS)[kind]
