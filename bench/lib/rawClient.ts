/** The least a client can do: write a line, wait for the line, parse it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import type { ClientKind } from "./client.ts"

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

export const rawClient: ClientKind = {
  name: "raw loop",
  open: async ({ args, command, env }) => {
    const child = spawn(command, args, {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["pipe", "pipe", "ignore"]
    })
    const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
    let chunks: Array<Buffer> = []
    let lastId = 0

    const take = (line: string) => {
      const { error, id, result } = JSON.parse(line) as Answer
      const waiter = id === undefined ? undefined : waiting.get(id)
      if (waiter === undefined) return
      waiting.delete(id!)
      if (error === undefined) waiter.resolve(result)
      else waiter.reject(new Error(error.message))
    }

    child.stdout.on("data", (chunk: Buffer) => {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        const part = chunk.subarray(start, end)
        take((chunks.length === 0 ? part : Buffer.concat([...chunks, part])).toString("utf8"))
        chunks = []
        start = end + 1
      }
      if (start < chunk.length) chunks.push(chunk.subarray(start))
    })

    const request = (method: string, params: unknown) =>
      new Promise<unknown>((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      })

    await request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" }
    })
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
    await request("tools/list", {})

    return {
      call: (name, given) => request("tools/call", { name, arguments: given }),
      close: async () => {
        child.stdin.end()
        await once(child, "exit")
      }
    }
  }
}
