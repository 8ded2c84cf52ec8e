/** Tries whether a port can be listened on. */
import * as Effect from "effect/Effect"
import { createServer } from "node:net"
import type { PortFacts } from "../../../../schemas/doctor/Facts.ts"
import { codeOf } from "../../../../system/ownFiles.ts"

export const portFacts = (host: string, port: number): Effect.Effect<PortFacts> =>
  Effect.callback((resume) => {
    const server = createServer()
    const done = (code: string | undefined) => resume(Effect.succeed({ host, port, code }))
    server.once("error", (error) => done(codeOf(error) ?? "unknown"))
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)))
  })
