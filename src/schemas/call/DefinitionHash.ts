/**
 * The hash that identifies an approved definition: over everything in it that a model can see, the server's instructions, and
 * its launch. The order of keys does not matter.
 */
import { createHash } from "node:crypto"
import type { Catalogue, ToolDefinition } from "../connection/Catalogue.ts"
import { canonical } from "../data/Json.ts"
import { INSTRUCTIONS_MAX_CHARS } from "../defaults/Definitions.ts"
import { knownCredentials } from "../connection/LaunchCredentials.ts"
import { sandboxOf } from "../connection/Sandbox.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import { memoOf } from "../data/Memo.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

// ---- the launch -----------------------------------------------------------------------------------------------------

type Started = Pick<ServerConfig, "launch" | "sandbox" | "session" | "written">

/** What was approved holds for every person. */
const startedBy = ({ launch: own, sandbox, written: launch = own }: Started): Readonly<Record<string, unknown>> =>
  launch.kind === "stdio"
    ? {
        kind: launch.kind,
        command: launch.command,
        args: launch.args,
        cwd: launch.cwd ?? null,
        sandbox: sandboxOf(sandbox) ?? null
      }
    : { kind: launch.kind, url: launch.url }

/**
 * Variables or headers. A value that can only be a token, which will be replaced some time, counts by its name only. A value
 * that might be a program counts, whatever the variable is called.
 */
const surroundingsOf = ({ launch, session }: Started): Readonly<Record<string, string>> => {
  const credentials = knownCredentials({ launch, session })
    .flatMap(({ guarded, value }) => (guarded && !PATH.test(value) ? [value] : []))
    .toSorted((one, other) => other.length - one.length)
  const given = launch.kind === "stdio" ? launch.env : launch.headers
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [
      name,
      credentials.reduce((rest, credential) => rest.replaceAll(credential, ""), text)
    ])
  )
}

const PATH = /^[~.]{0,2}[/\\]|^[A-Za-z]:/

/**
 * The identity of a launch, as 64 hex digits: the program with its arguments, directory and sandbox, or the URL, as
 * configured, with references in place of secrets. Environment and headers do not count where the operator wrote them. For a
 * server that a client brought they do, except credentials: `PATH` alone can select another program.
 */
export const launchIdentity = memoOf((config: Started): string => {
  const started = startedBy(config)
  return sha256(
    canonical(config.session === undefined ? started : { ...started, surroundings: surroundingsOf(config) })
  )
})

/** The identity of the file that a configuration is read from, or would be read from. */
export const configurationIdentity = (file: string): string => sha256(file)

// ---- definitions ---------------------------------------------------------------------------------------------------

/** The parts of a tool that a model can see, before cleaning. */
export type VisibleDefinition = Pick<
  ToolDefinition,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>

export const visibleOf = (definition: VisibleDefinition): VisibleDefinition => ({
  name: definition.name,
  title: definition.title,
  description: definition.description,
  inputSchema: definition.inputSchema,
  outputSchema: definition.outputSchema,
  annotations: definition.annotations
})

export interface Hashed {
  /** The server's `launchIdentity`. */
  readonly launch: string
  /** The server's complete instructions. */
  readonly instructions: string | undefined
  readonly definition: VisibleDefinition
}

/** 64 hex digits. */
export const definitionHash = ({ definition, instructions, launch }: Hashed): string =>
  hashWith(launch, instructionsHash(instructions), definition)

/** 64 hex digits; no instructions and an empty text are the same. */
export const instructionsHash = (instructions: string | undefined): string => sha256(instructions ?? "")

const hashWith = (launch: string, instructions: string, definition: VisibleDefinition): string =>
  sha256(
    `{"definition":{${writtenOf(definition).join(",")}},"instructions":${JSON.stringify(instructions)},"launch":${JSON.stringify(launch)}}`
  )

/** The members of a definition, sorted by name, each as its part of the canonical text. */
const writtenOf = (definition: VisibleDefinition): ReadonlyArray<string> => {
  const digests: Partial<Record<Part, string>> = {}
  const written = MEMBERS.flatMap((name) => {
    const value = definition[name]
    if (value === undefined) return []
    const text = canonical(value)
    if (name !== "name") digests[name] = sha256(text)
    return [`"${name}":${text}`]
  })
  digested.set(definition, digests)
  return written
}

/** The parts of a definition that can differ. */
export const PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const
export type Part = (typeof PARTS)[number]
const MEMBERS = ["annotations", "description", "inputSchema", "name", "outputSchema", "title"] as const

type Digests = Readonly<Partial<Record<Part, string>>>

// Module state: what a pure function returns, kept by definition. It comes as a part of `writtenOf`, which costs much for large lists.
const digested = new WeakMap<VisibleDefinition, Digests>()

/** A hash of each part that the definition has; computed once per definition object. */
export const partsOf = (definition: VisibleDefinition): Digests => {
  if (!digested.has(definition)) writtenOf(definition)
  return digested.get(definition)!
}

/** For a copy of a definition with the same content. */
export const takeOverParts = (copy: VisibleDefinition, definition: VisibleDefinition): void =>
  void digested.set(copy, partsOf(definition))

/** Equal for tools that differ only in their names. */
export const namelessHash = (definition: VisibleDefinition): string => {
  const parts = partsOf(definition)
  return PARTS.map((part) => parts[part] ?? "").join(" ")
}

interface Known {
  readonly launch: string
  readonly instructions: string
  readonly hash: string
}

// Module state: what a pure function returns, kept by definition, for the launch and the instructions of the last connection.
const hashes = new WeakMap<ToolDefinition, Known>()

/** Hashes the definitions of one connection: instructions and launch are hashed once, and each definition once. */
export const definitionHasher = (
  config: Started,
  { instructions: text }: Pick<Catalogue, "instructions">
): ((definition: ToolDefinition) => string) => {
  const launch = launchIdentity(config)
  const instructions = instructionsHash(text?.slice(0, INSTRUCTIONS_MAX_CHARS))
  return (definition) => {
    const known = hashes.get(definition)
    if (known !== undefined && known.launch === launch && known.instructions === instructions) return known.hash
    const hash = hashWith(launch, instructions, definition)
    hashes.set(definition, { launch, instructions, hash })
    return hash
  }
}
