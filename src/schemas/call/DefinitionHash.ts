/**
 * What makes a definition the one that was approved: a hash over everything of it that a model can see, over the server's
 * instructions, and over what is started. Two definitions that differ only in the order of keys have the same hash.
 */
import { createHash } from "node:crypto"
import type { Catalogue, ToolDefinition } from "../connection/Catalogue.ts"
import { canonical } from "../data/Json.ts"
import { knownCredentials } from "../connection/LaunchCredentials.ts"
import { sandboxOf } from "../connection/Sandbox.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import { memoOf } from "../data/Memo.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

// ---- what is started -----------------------------------------------------------------------------------------------

type Started = Pick<ServerConfig, "launch" | "sandbox" | "session">

const startedBy = ({ launch, sandbox }: Started): Readonly<Record<string, unknown>> =>
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
 * Variables or headers; what can only be a token in them, which the next one replaces, only by the place where it stands. What
 * might be a program counts, whatever the variable is called.
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
 * What is started, as 64 hex digits: the program with its arguments, its directory and its sandbox, or the address. As the
 * configuration has it, where secrets are references. Environment and headers do not count where the operator wrote them; of a server
 * that a client brought along they do, but for credentials: `PATH` alone can make another program of it.
 */
export const launchIdentity = memoOf((config: Started): string => {
  const started = startedBy(config)
  return sha256(
    canonical(config.session === undefined ? started : { ...started, surroundings: surroundingsOf(config) })
  )
})

/** Of the file that a configuration is read from; of one that is none, of where it would be. */
export const configurationIdentity = (file: string): string => sha256(file)

// ---- definitions ---------------------------------------------------------------------------------------------------

/** What a model can see of a tool, before anything is cleaned. */
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
  /** `launchIdentity` of its server. */
  readonly launch: string
  /** The server's instructions, whole. */
  readonly instructions: string | undefined
  readonly definition: VisibleDefinition
}

/** 64 hex digits. */
export const definitionHash = ({ definition, instructions, launch }: Hashed): string =>
  hashWith(launch, instructionsHash(instructions), definition)

/** 64 hex digits; an empty text says as little as none. */
export const instructionsHash = (instructions: string | undefined): string => sha256(instructions ?? "")

const hashWith = (launch: string, instructions: string, definition: VisibleDefinition): string =>
  sha256(
    `{"definition":{${writtenOf(definition).join(",")}},"instructions":${JSON.stringify(instructions)},"launch":${JSON.stringify(launch)}}`
  )

/** The members of a definition in the order of their names, each as its own part of the canonical text. */
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

/** Parts of a definition that can differ. */
export const PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const
export type Part = (typeof PARTS)[number]
const MEMBERS = ["annotations", "description", "inputSchema", "name", "outputSchema", "title"] as const

type Digests = Readonly<Partial<Record<Part, string>>>

// Module state: what a pure function returns, kept by definition. It comes as a part of `writtenOf`, which costs much for large lists.
const digested = new WeakMap<VisibleDefinition, Digests>()

/** A hash of each part that it has; written out once in the life of a definition. */
export const partsOf = (definition: VisibleDefinition): Digests => {
  if (!digested.has(definition)) writtenOf(definition)
  return digested.get(definition)!
}

/** For a copy of a definition that says the same. */
export const takeOverParts = (copy: VisibleDefinition, definition: VisibleDefinition): void =>
  void digested.set(copy, partsOf(definition))

/** The same for tools that differ in nothing but their names. */
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

/** The hashes of what one connection lists: instructions and launch are hashed once, each definition once in its life. */
export const definitionHasher = (
  config: Started,
  { instructions: text }: Pick<Catalogue, "instructions">
): ((definition: ToolDefinition) => string) => {
  const launch = launchIdentity(config)
  const instructions = instructionsHash(text)
  return (definition) => {
    const known = hashes.get(definition)
    if (known !== undefined && known.launch === launch && known.instructions === instructions) return known.hash
    const hash = hashWith(launch, instructions, definition)
    hashes.set(definition, { launch, instructions, hash })
    return hash
  }
}
