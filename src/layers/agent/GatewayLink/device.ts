/**
 * The devices of this data directory: key pairs that identify us to a gateway once they are paired. A gateway allows one
 * connection per device and role, and a second one ends the first; so each process that is a node reserves a device that no
 * other process has. Readable by this user only.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { link, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { GATEWAY_DEVICE_FILE_MAX_BYTES, GATEWAY_DEVICES_MAX } from "../../../schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { GatewayChallenge } from "../../../schemas/agent/GatewayFrames.ts"
import { holding, take } from "../../../system/fileLock.ts"
import { codeOf, fileSystemSays, makeOwnDirectory, nameBeside } from "../../../system/ownFiles.ts"
import { readOwnSecret } from "../../../system/secretFiles.ts"

export interface Claims {
  readonly clientId: string
  readonly mode: string
  readonly role: string
  readonly scopes: ReadonlyArray<string>
  readonly token: string
  readonly platform: string
}

export interface Device {
  readonly id: string
  /** The proof that a connection has the device's key. */
  readonly prove: (challenge: GatewayChallenge, claims: Claims) => Readonly<Record<string, unknown>>
}

const DIRECTORY = "gateway"
const RAW_KEY_BYTES = 32

// ---- one key pair --------------------------------------------------------------------------------------------------

const deviceOf = (pem: string): Device => {
  const privateKey = createPrivateKey(pem)
  const raw = createPublicKey(privateKey).export({ type: "spki", format: "der" }).subarray(-RAW_KEY_BYTES)
  const id = createHash("sha256").update(raw).digest("hex")
  const publicKey = raw.toString("base64url")
  return {
    id,
    prove: ({ nonce, ts }, { clientId, mode, platform, role, scopes, token }) => {
      const claims = ["v3", id, clientId, mode, role, scopes.join(","), String(ts), token, nonce, platform, ""]
      const signature = sign(null, Buffer.from(claims.join("|")), privateKey).toString("base64url")
      return { id, publicKey, signature, signedAt: ts, nonce }
    }
  }
}

const newKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/** Rejects a file that others can read or write, because its device could be used by anybody. */
const readKey = async (path: string): Promise<string | undefined> =>
  (await readOwnSecret(path, GATEWAY_DEVICE_FILE_MAX_BYTES))?.text

/** The device in a file. An invalid key is replaced: only its pairing is lost. */
const deviceAt = async (path: string): Promise<Device> => {
  const kept = await readKey(path)
  if (kept !== undefined) {
    try {
      return deviceOf(kept)
    } catch {
      await rm(path, { force: true })
    }
  }
  const fresh = `${nameBeside(path)}.tmp`
  try {
    await writeFile(fresh, newKey(), { flag: "wx", mode: 0o600 })
    // Two processes that create it at the same time end up with the same one.
    await link(fresh, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error
    })
  } finally {
    await rm(fresh, { force: true })
  }
  return deviceOf((await readKey(path)) ?? newKey())
}

// ---- for the link --------------------------------------------------------------------------------------------------

const unusable = (directory: string) => (error: unknown) =>
  new GatewayError({
    code: "LINK_DOWN",
    detail: `the key that an OpenClaw gateway knows us by cannot be kept in ${join(directory, DIRECTORY)}: ${fileSystemSays(error)}`
  })

const attempt = <A>(directory: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: unusable(directory) })

const folderOf = (directory: string): string => {
  const folder = join(directory, DIRECTORY)
  makeOwnDirectory(folder)
  return folder
}

/** The device of operators, shared by any number of them. */
export const operatorDevice = (directory: string): Effect.Effect<Device, GatewayError> =>
  attempt(directory, async () => deviceAt(join(folderOf(directory), "operator.pem")))

/** A device that no other node in any process has, for the caller's Scope. */
export const nodeDevice = (directory: string): Effect.Effect<Device, GatewayError, Scope.Scope> =>
  holding(
    attempt(directory, async () => {
      const folder = folderOf(directory)
      for (let index = 0; index < GATEWAY_DEVICES_MAX; index++) {
        const path = join(folder, `node-${index}.pem`)
        const taken = take(`${path}.lock`)
        if (taken._tag === "Ours") return { ...taken.lock, path }
      }
      throw Object.assign(new Error("all are taken"), { code: `all ${GATEWAY_DEVICES_MAX} of them are in use` })
    })
  ).pipe(Effect.flatMap(({ path }) => attempt(directory, () => deviceAt(path))))
