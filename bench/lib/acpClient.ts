/** The least that a client of the Agent Client Protocol can be: lines out, lines in, and when they came. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

interface Frame {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string; readonly data?: unknown }
}

export interface AcpClient {
  /** Rejects where it is refused. */
  readonly ask: (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>
  /** The updates that came so far. */
  readonly updates: ReadonlyArray<string>
  readonly end: () => Promise<unknown>
}

export const acpClient = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): AcpClient => {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "ignore"]
  })
  const waiting = new Map<number, (frame: Frame) => void>()
  const updates: Array<string> = []
  const gone = new Promise<number | null>((resolve) => child.once("exit", resolve))
  child.stdin.on("error", () => {})
  createInterface({ input: child.stdout }).on("line", (line) => {
    const frame = JSON.parse(line) as Frame
    if (frame.id === undefined) updates.push(line)
    else waiting.get(frame.id)?.(frame)
  })
  let ids = 0
  return {
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++ids
        const refused = (what: unknown) => reject(new Error(`${method}: ${JSON.stringify(what)}`))
        waiting.set(id, ({ error, result = {} }) => (error === undefined ? resolve(result) : refused(error)))
        void gone.then((code) => refused(`the agent is gone, with code ${code}`))
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      }),
    updates,
    end: () => {
      child.stdin.end()
      return gone
    }
  }
}
