/** Bundles of servers (`.mcpb`): what is in them, and unpacking them. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Effect from "effect/Effect"
import type { Manifest } from "../../schemas/config/bundle/Manifest.ts"

/** It is no bundle, or one that must not be unpacked. */
export class BundleFailed extends Schema.TaggedError<BundleFailed>()("BundleFailed", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** Who vouches for a bundle. */
export type Signature =
  | { readonly _tag: "Unsigned" }
  /** The content is what `signer` has signed. `isTrusted`: the system trusts who has certified that name. */
  | { readonly _tag: "Signed"; readonly signer: string; readonly issuer: string; readonly isTrusted: boolean }
  /** There is a signature, and it is wrong. */
  | { readonly _tag: "Invalid"; readonly detail: string }

/** A bundle that was looked into. Nothing of it has been written. */
export interface Opened {
  readonly manifest: Manifest
  readonly signature: Signature
  /** SHA-256 of the whole file. */
  readonly digest: string
  /** Where `unpack` puts it. */
  readonly directory: string
}

/** Bundles of servers. */
export class Bundles extends Context.Service<
  Bundles,
  {
    /** Reads a file within bounds. */
    readonly read: (path: string) => Effect.Effect<Buffer, BundleFailed>
    /** Checks names and sizes of all entries as they are declared, and reads the manifest. */
    readonly open: (file: Buffer) => Effect.Effect<Opened, BundleFailed>
    /**
     * Unpacks it into a folder of the data directory that is named after its digest. It is there as a whole or not at all, and what it
     * really unpacks to stays within the bounds, whatever was declared. Returns whether it was new.
     */
    readonly unpack: (
      file: Buffer
    ) => Effect.Effect<{ readonly directory: string; readonly isNew: boolean }, BundleFailed>
    /** Removes what `unpack` has made. */
    readonly remove: (directory: string) => Effect.Effect<void>
  }
>()("mcp-live/services/Bundles") {}
