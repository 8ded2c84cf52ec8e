/**
 * The tools that a node publishes for all its sessions. Every session of the gateway sees them, so sessions with the same
 * tool share one: the calling session tells whose it is, not the name. Different tools with the same name get separate names.
 * Names stay the same as long as a session has them, since a model may know them.
 */
import { createHash } from "node:crypto"
import { NODE_DESCRIPTION_MAX_CHARS } from "../../../schemas/defaults/Injection.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"

export const CALL_COMMAND = "mcp.tools.call.v1"

export interface Published {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  /** What a call contains: a definition, and the runtime's name of the tool. */
  readonly server: string
  readonly tool: string
}

const NAME_MAX_CHARS = 64
const HASH_CHARS = 8

/** The same for the same tool in any session. */
const definitionOf = ({ description, name, parameters }: AgentTool): string =>
  createHash("sha256")
    .update(JSON.stringify([name, description, parameters]))
    .digest("hex")
    .slice(0, HASH_CHARS * 2)

/** Does not cut inside a character. */
const shortened = (text: string, max: number): string => {
  if (text.length <= max) return text
  const cut = text.slice(0, max - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** A gateway requires a letter first. */
const startingWithLetter = (name: string): string => (/^[A-Za-z]/.test(name) ? name : `t${name}`)

const withHash = (name: string, definition: string): string =>
  `${name.slice(0, NAME_MAX_CHARS - HASH_CHARS - 1)}_${definition.slice(0, HASH_CHARS)}`

export interface Catalogue {
  /** Publishes a session's tools and returns them; they count until `remove`. */
  readonly add: (session: object, tools: ReadonlyArray<AgentTool>) => ReadonlyArray<Published>
  readonly remove: (session: object) => void
  /** The tools of all sessions, each once. */
  readonly all: () => ReadonlyArray<Published>
}

export const makeCatalogue = (): Catalogue => {
  const bySession = new Map<object, ReadonlyMap<string, Published>>()

  const published = () => new Map([...bySession.values()].flatMap((tools) => [...tools]))

  const nameFor = (wanted: string, definition: string, taken: ReadonlySet<string>): string => {
    const plain = startingWithLetter(wanted).slice(0, NAME_MAX_CHARS)
    return taken.has(plain.toLowerCase()) ? withHash(plain, definition) : plain
  }

  return {
    add: (session, tools) => {
      const known = published()
      const taken = new Set([...known.values()].map(({ name }) => name.toLowerCase()))
      const own = new Map<string, Published>()
      for (const tool of tools) {
        const definition = definitionOf(tool)
        const name = known.get(definition)?.name ?? nameFor(tool.name, definition, taken)
        taken.add(name.toLowerCase())
        own.set(definition, {
          name,
          // The gateway requires a description.
          description: shortened(tool.description, NODE_DESCRIPTION_MAX_CHARS) || tool.label || tool.name,
          parameters: tool.parameters,
          server: definition,
          tool: tool.name
        })
      }
      bySession.set(session, own)
      return [...own.values()]
    },
    remove: (session) => void bySession.delete(session),
    all: () => [...published().values()]
  }
}
