/** A gateway with its page, as a person starts it: the built program, real servers, a home directory of its own. */
import * as Effect from "effect/Effect"
import { join, dirname } from "node:path"
import { configFile, run, start } from "../e2e/program.ts"
import { serverPath } from "../fixtures/servers.ts"

export const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\?token=[\w-]{32}/

const real = (name: "everything" | "filesystem" | "memory", ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [serverPath(name), ...args]
})

/** A folder with a configuration of real servers; `more` are servers and sections beside them. */
export const configured = Effect.fnUntraced(function* (
  more: { readonly servers?: Record<string, unknown>; readonly gateway?: object } = {}
) {
  const folder = dirname(yield* configFile({}))
  const config = yield* configFile({
    gateway: { tools: { ask: ["files/write_*"] }, ...more.gateway },
    mcp: { servers: { files: real("filesystem", folder), memory: real("memory"), ...more.servers } }
  })
  const home = join(folder, "data")
  const env = { MCP_LIVE_HOME: home, DISPLAY: "", WAYLAND_DISPLAY: "" }
  return {
    folder,
    home,
    config,
    env,
    /** A command that uses the gateway that runs. */
    command: (...args: ReadonlyArray<string>) => run([...args, "--config", config], { env }),
    /** `start --ui`, and the address that it says. */
    started: (...args: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const running = yield* start(["start", "--ui", ...args, "--config", config], { env })
        const [address] = yield* running.until(ADDRESS)
        return { running, address }
      })
  }
})

export const everything = real("everything")

/** An address by which one may only look, of a gateway that runs. */
export const lookingOnly = Effect.fnUntraced(function* ({ command }: Effect.Success<ReturnType<typeof configured>>) {
  const { stdout } = yield* command("ui", "--print", "--read-only")
  return ADDRESS.exec(stdout)?.[0] ?? stdout
})
