/**
 * A PostgreSQL server for tests and experiments, from the programs of the system (Debian: `apt install postgresql`). Its files are in a
 * folder of its own, it listens on the loopback only, and it ends with this process, which ends when its stdin does.
 *
 *     node scripts/postgres.mjs [--port N]
 *
 * Prints one line of JSON, `{ "port", "password" }`, when it accepts connections. Each line on stdin is a command, and is answered with one
 * line, `ok` or `failed: …`: `stop`, `start`, `kill` (as in a crash), `freeze`, `thaw`. PostgreSQL does not run as root: for root it runs
 * as the user `postgres`. Where it is not installed, this prints `{ "missing": … }` and exits with 3.
 */
import { execFileSync, spawn } from "node:child_process"
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import process from "node:process"

const DEBIAN = "/usr/lib/postgresql"
const PASSWORD = "of-the-tests"
const STOPPED_WITHIN_MS = 30_000

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder with `initdb` and `postgres`: the newest of Debian's, or the one on the PATH. */
const postgresFolder = () => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((one, other) => Number(other) - Number(one)) : []
  const folders = [
    ...(process.env["POSTGRES_BIN"] === undefined ? [] : [process.env["POSTGRES_BIN"]]),
    ...versions.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter)
  ]
  return folders.find((folder) => ["initdb", "postgres"].every((program) => isProgram(join(folder, program))))
}

/** Whom the server runs as: nobody else than us, unless we are root. `undefined` if there is nobody. */
const postgresUser = () => {
  if (process.getuid?.() !== 0) return {}
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"))
  const [, , uid, gid] = line?.split(":") ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Why there is no server here; `undefined` if there can be one. */
const whyMissing = () => {
  if (postgresFolder() === undefined)
    return "PostgreSQL is not installed (`apt install postgresql`, or its folder in POSTGRES_BIN)"
  return postgresUser() === undefined ? "PostgreSQL does not run as root, and there is no user `postgres`" : undefined
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** A process and its children: every connection has one of its own. */
const familyOf = (parent) => {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent
      } catch {
        return false
      }
    })
  return [parent, ...children.map(Number)]
}

const signal = (pid, name) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

const main = async () => {
  const missing = whyMissing()
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`)
    process.exit(3)
  }
  const programs = postgresFolder()
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-postgres-"))
  const data = join(folder, "data")
  const secret = join(folder, "password")
  writeFileSync(secret, PASSWORD)
  if (user.uid !== undefined) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid)
  const env = { PATH: process.env["PATH"], LC_ALL: "C", HOME: folder }
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // Also when `initdb` was ended by a signal.
  process.once("exit", remove)

  execFileSync(
    join(programs, "initdb"),
    [
      "--pgdata",
      data,
      "--username",
      "postgres",
      "--pwfile",
      secret,
      "--auth",
      "scram-sha-256",
      "--encoding",
      "UTF8",
      "--no-sync",
      "--no-instructions"
    ],
    { ...user, env, cwd: folder, stdio: ["ignore", "ignore", "inherit"] }
  )
  const given = process.argv.indexOf("--port")
  const port = given === -1 ? await freePort() : Number(process.argv[given + 1])
  // Nothing here has to outlive the machine, and several servers may run at once.
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    fsync: "off",
    full_page_writes: "off",
    shared_buffers: "32MB",
    max_connections: 60
  }
  const args = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])]

  let running
  const start = () =>
    new Promise((resolve, reject) => {
      const server = spawn(join(programs, "postgres"), args, {
        ...user,
        env,
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"]
      })
      let log = ""
      running = { server, ended: new Promise((ended) => server.once("close", ended)) }
      server.once("error", reject)
      server.once("close", () => {
        // So that it can be started again.
        if (running?.server === server) running = undefined
        reject(new Error(`PostgreSQL ended: ${log.slice(-2_000)}`))
      })
      server.stderr.setEncoding("utf8").on("data", (text) => {
        log = (log + text).slice(-10_000)
        if (log.includes("ready to accept connections")) resolve()
      })
    })
  const end = async (name) => {
    if (running === undefined) return
    const { ended, server } = running
    running = undefined
    for (const pid of familyOf(server.pid)) signal(pid, "SIGCONT")
    signal(server.pid, name)
    const timer = setTimeout(() => signal(server.pid, "SIGKILL"), STOPPED_WITHIN_MS)
    await ended
    clearTimeout(timer)
  }
  const pause = (name) => {
    if (running !== undefined) for (const pid of familyOf(running.server.pid)) signal(pid, name)
  }
  const commands = {
    stop: () => end("SIGINT"),
    kill: () => end("SIGQUIT"),
    start: () => (running === undefined ? start() : undefined),
    freeze: () => pause("SIGSTOP"),
    thaw: () => pause("SIGCONT")
  }
  const finish = async () => {
    await end("SIGQUIT")
    remove()
    process.exit(0)
  }

  try {
    await start()
  } catch (error) {
    remove()
    throw error
  }
  process.stdout.write(`${JSON.stringify({ port, password: PASSWORD })}\n`)

  const obey = async (command) => {
    try {
      await commands[command]?.()
      process.stdout.write("ok\n")
    } catch (error) {
      process.stdout.write(`failed: ${JSON.stringify(String(error))}\n`)
    }
  }
  let before = Promise.resolve()
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      before = before.then(() => obey(line.trim()))
    })
    .on("close", () => void before.then(finish))
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => void before.then(finish))
  // Whoever reads our answers may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

if (process.argv.includes("--check")) process.stdout.write(whyMissing() ?? "")
else await main()
