/** The conversations of people who send agent requests, found by the first line of each file. */
import * as Effect from "effect/Effect"
import { readdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { ownerOf, ownerOfClient } from "../../../schemas/agent/OrderSession.ts"
import type { PersonStore } from "../../../services/call/PersonStores.ts"
import { ifThere } from "../../../system/ownFiles.ts"
import { attempt, DIRECTORY, headerIn, readStart } from "./file.ts"

const CONVERSATION = /^[0-9a-f]{32}\.jsonl$/

/** In this data directory. An open one is removed as well: its process does not write it again. */
export const conversationsIn = (directory: string): PersonStore => ({
  what: "conversations",
  forget: ({ clients, ids }) =>
    attempt(async () => {
      const folder = join(directory, DIRECTORY)
      const owners = new Set(clients.map(ownerOfClient))
      let count = 0
      for (const name of (await ifThere(readdir(folder))) ?? []) {
        if (!CONVERSATION.test(name)) continue
        const header = headerIn((await ifThere(readStart(join(folder, name)))) ?? "")
        if (header === undefined) continue
        const { personId, sessionKey } = header
        const isTheirs = owners.has(ownerOf(sessionKey)) || (personId !== undefined && ids.includes(personId))
        if (isTheirs && (await ifThere(unlink(join(folder, name)).then(() => true))) === true) count++
      }
      return count
    }).pipe(Effect.mapError((code) => `conversations in ${directory} cannot be removed (${code})`))
})
