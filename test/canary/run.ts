/**
 * `npm run canary`: a fresh secret in every slot of a configuration, servers that give away all they know in every form and
 * every place, and a search for the secrets in every byte that leaves the processes: stdout, stderr with the whole log,
 * spans, metrics, audit records, and every file that is written. The run is made twice: first with a `Redactor` that knows
 * nothing, which must be full of secrets in every section, or the search would show nothing. Then as it is: none may be
 * found. Writes the table in docs/security.md; exits with 1 when one is found.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { writeFigures } from "../../bench/lib/page.ts"
import { echoHttp } from "./echo.ts"
import { countIn, FORMS, freshSecrets, type Slot } from "./secrets.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const NODE = process.execPath
const PROCESS_MS = 300_000
/** Of one that runs until it is ended. */
const SERVICE_MS = 45_000

const secrets = freshSecrets()
const work = mkdtempSync(join(tmpdir(), "canary-"))
/** What the operator keeps: not a place where a secret would have leaked to. */
const vault = join(work, "operator")
mkdirSync(vault)
const keep = (slot: Slot) => {
  const file = join(vault, slot)
  writeFileSync(file, secrets[slot], { mode: 0o600 })
  return `secret://file${file}`
}

const env = {
  PATH: process.env["PATH"] ?? "",
  CANARY_ENV_SECRET: secrets.env,
  CANARY_TOKEN: secrets.literal,
  CANARY_URL_SECRET: secrets.url,
  CANARY_BEARER_SECRET: secrets.bearer,
  CANARY_CLIENT_SECRET: secrets.clientSecret,
  CANARY_MODEL_SECRET: secrets.model
}

const http = await echoHttp(secrets.accessToken)
const origin = `http://127.0.0.1:${http.port}`
/** Every tool is called, and many of them fail. */
const UNLIMITED = { perMinute: 0, failures: 0 }
const remote = (path: string) => ({
  transport: "http",
  limits: UNLIMITED,
  url: `${origin}${path}?key=secret://env/CANARY_URL_SECRET`,
  headers: { "x-canary": "secret://exec/header", authorization: "Bearer secret://env/CANARY_BEARER_SECRET" }
})
/** Its token comes of an authorization server, which gets the secret of the client. */
const protectedServer = {
  limits: UNLIMITED,
  url: `${origin}/oauth/mcp`,
  auth: {
    type: "oauth",
    grant: "client_credentials",
    issuer: origin,
    clientId: "canary",
    clientSecret: "secret://env/CANARY_CLIENT_SECRET"
  }
}
const local = {
  limits: UNLIMITED,
  command: NODE,
  args: [at("echo.ts"), keep("arg")],
  env: { CANARY_ENV: "secret://env/CANARY_ENV_SECRET", CANARY_LINES: keep("lines"), CANARY_TOKEN: "${CANARY_TOKEN}" },
  sampling: "allow",
  maxRestarts: 1
}

const secretsConfig = { exec: { header: { command: "cat", args: [keep("header").slice("secret://file".length)] } } }
const gateway = {
  mcp: {
    secrets: secretsConfig,
    servers: {
      local,
      remote: { ...remote("/mcp"), sampling: "allow" },
      protected: { ...protectedServer, sampling: "allow" },
      ...Object.fromEntries(
        [302, 401, 403, 404, 429, 500].map((status) => [
          `status${status}`,
          { ...remote(`/${status}/mcp`), restartOnCrash: false }
        ])
      )
    }
  },
  agents: {
    defaults: { model: { id: "canary", baseUrl: `${origin}/v1`, apiKey: "secret://env/CANARY_MODEL_SECRET" } },
    list: [{ id: "main", default: true }]
  }
}
const library = {
  secrets: secretsConfig,
  servers: {
    local,
    remote: {
      limits: UNLIMITED,
      url: `${origin}/mcp?key=secret://env/CANARY_URL_SECRET`,
      headers: { "x-canary": "secret://exec/header" },
      auth: { type: "bearer", token: "secret://env/CANARY_BEARER_SECRET" }
    },
    protected: protectedServer
  }
}
const written = (name: string, config: unknown) => {
  const file = join(vault, name)
  writeFileSync(file, JSON.stringify(config, null, 2))
  return file
}
const gatewayFile = written("openclaw.json", gateway)
/** For the command: each of its lines starts everything anew. */
const { status401 } = gateway.mcp.servers as Record<string, unknown>
const commandFile = written("command.json", {
  ...gateway,
  mcp: { ...gateway.mcp, servers: { local, remote: gateway.mcp.servers.remote, protected: protectedServer, status401 } }
})
const libraryFile = written("library.json", library)

interface Output {
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly code: number | null
}

/** One process with a home of its own, to its end. */
const runProcess = (home: string, args: ReadonlyArray<string>, input = "", timeout = PROCESS_MS): Promise<Output> =>
  new Promise((resolve, reject) => {
    const child = spawn(NODE, args, {
      cwd: home,
      env: { ...env, HOME: home, TMPDIR: home, MCP_LIVE_HOME: home },
      timeout
    })
    const chunks = { stdout: [] as Array<Buffer>, stderr: [] as Array<Buffer> }
    child.stdout.on("data", (chunk: Buffer) => chunks.stdout.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.stderr.push(chunk))
    child.on("error", reject)
    child.on("close", (code) =>
      resolve({ stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr), code })
    )
    child.stdin.end(input)
  })

/** Where tokens are kept: the one place of a home that has them, and nobody else may look there. */
const isCredentials = (home: string, file: string): boolean => file.startsWith(join(home, "credentials") + sep)
const isPrivate = (file: string): boolean => (statSync(file).mode & 0o077) === 0

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })

/** The parts of an output by their sections, and what no section claims. */
const sectionsOf = (stdout: Buffer): ReadonlyMap<string, Buffer> => {
  const sections = new Map<string, Array<Buffer>>()
  const text = stdout.toString("latin1")
  for (const part of text.split(/^## /m)) {
    const name = text.startsWith(part) ? "before" : part.slice(0, part.indexOf("\n"))
    sections.set(name, [...(sections.get(name) ?? []), Buffer.from(part, "latin1")])
  }
  return new Map([...sections].map(([name, parts]) => [name, Buffer.concat(parts)]))
}

interface Place {
  readonly found: number
  readonly which: ReadonlyMap<string, number>
}

const search = (bytes: Buffer): Place => {
  const which = countIn(bytes, secrets)
  return { which, found: [...which.values()].reduce((sum, count) => sum + count, 0) }
}

let bytesSearched = 0

/** Every place of one process where something may have come out. */
const placesOf = async (home: string, args: ReadonlyArray<string>, name?: string, input?: string, timeout?: number) => {
  mkdirSync(home, { recursive: true })
  const { code, stderr, stdout } = await runProcess(home, args, input, timeout)
  const all = filesIn(home)
  const files = all.filter((file) => !isCredentials(home, file) || !isPrivate(file))
  const parts: Array<readonly [string, Buffer]> =
    name === undefined ? [...sectionsOf(stdout)] : [[`${name}: stdout`, stdout] as const]
  parts.push([name === undefined ? "log and stderr" : `${name}: stderr`, stderr])
  parts.push([name === undefined ? "files" : `${name}: files`, Buffer.concat(files.map((file) => readFileSync(file)))])
  bytesSearched += parts.reduce((sum, [, bytes]) => sum + bytes.length, 0)
  return { code, stdout, places: new Map(parts.map(([place, bytes]) => [place, search(bytes)])) }
}

const SUBJECT = at("subject.ts")
const blind = await placesOf(join(work, "blind"), [SUBJECT, gatewayFile, "--blind"])
const real = await placesOf(join(work, "real"), [SUBJECT, gatewayFile])
const programs = [await placesOf(join(work, "library"), [at("library.ts"), libraryFile], "loadMCPServers")]
const MAIN = at("../../src/programs/main.ts")
const VERBS: ReadonlyArray<readonly [args: ReadonlyArray<string>, input?: string, timeout?: number]> = [
  [["tools"]],
  [["tools", "--json"]],
  [["call", "mcp_local_say_raw"]],
  [["call", "mcp_remote_refuse_base64", "--json"]],
  [["resources"]],
  [["context"]],
  [["prompts"]],
  [["status"]],
  [["status", "--json"]],
  [["validate"]],
  [["validate", "--secrets"]],
  [["login", "protected"]],
  [["login", "protected", "--json"]],
  [["start"], "hello\n", SERVICE_MS]
]
for (const [index, [args, input, timeout]] of VERBS.entries()) {
  const name = `mcp-live ${args.slice(0, 2).join(" ")}`
  const line = [MAIN, ...args, "--config", commandFile, "--log-level", "all"]
  programs.push(await placesOf(join(work, `verb${index}`), line, name, input, timeout))
}
await http.close()

const rows = [...new Set([...blind.places.keys(), ...real.places.keys()])].map((name) => ({
  name,
  without: blind.places.get(name)?.found ?? 0,
  with: real.places.get(name)?.found ?? 0
}))

/** Where the blind run must be full of secrets: everything that a server's words reach. */
const TELLTALE = (
  "all tools,status,result of say,result of fail,result of refuse,result of long,read on,search in what was kept,progress," +
  "elicitation,sampling,result of ask,resources,resource templates,read resource,resource context,prompts,prompt,completion," +
  "answer of the model,result of die,status after,files that are kept,spans,log and stderr"
).split(",")
const silent = TELLTALE.filter((name) => (blind.places.get(name)?.found ?? 0) === 0)
const leaks = [real, ...programs].flatMap(({ places }) =>
  [...places]
    .filter(([, { found }]) => found > 0)
    .map(([name, { which }]) => `${name}: ${[...which.keys()].join(", ")}`)
)
/** 2 is wrong use: then nothing was tried. A tool that fails ends with 1. */
const broken = [blind, real, ...programs].filter(({ code }) => code !== 0 && code !== 1)

const table = rows.filter((row) => row.without > 0 || row.with > 0)
const programRow = {
  name: `${programs.length} runs of the programs (\`loadMCPServers\`, ${VERBS.length} command lines)`,
  with: programs.reduce((sum, { places }) => sum + [...places.values()].reduce((all, { found }) => all + found, 0), 0)
}
const summary = [
  `Measured with \`npm run canary\` (${new Date().toISOString().slice(0, 10)}, Node ${process.version}): ${Object.keys(secrets).length} slots, ${Object.keys(FORMS).length} forms, ${(bytesSearched / 1e6).toFixed(0)} MB searched from ${2 + programs.length} processes.`,
  "",
  "| where | secrets found without a Redactor | as it is |",
  "| --- | ---: | ---: |",
  ...table.map((row) => `| ${row.name} | ${row.without} | ${row.with} |`),
  `| ${programRow.name} | – | ${programRow.with} |`
].join("\n")

const failures = [
  ...leaks.map((leak) => `FOUND  ${leak}`),
  ...silent.map((name) => `the blind run told nothing in "${name}": the search there shows nothing`),
  ...broken.map(({ code, places }) => `${[...places.keys()][0]} ended with ${code}`)
]
process.stdout.write(`${summary}\n\n${failures.length === 0 ? "no secret was found" : failures.join("\n")}\n`)

if (failures.length === 0) writeFigures("security.md", "npm run canary", { canary: summary })
if (process.env["CANARY_KEEP"] === undefined) rmSync(work, { recursive: true, force: true })
else process.stdout.write(`${work}\n`)
process.exitCode = failures.length === 0 ? 0 : 1
