/** What cleans and records the results of servers that a gateway runs itself: no configuration, and no server of ours. */
import * as Layer from "effect/Layer"
import type { NativeResults } from "../../services/agent/NativeResults.ts"
import type { Redactor } from "../../services/content/Redactor.ts"
import * as NativeResultsLayer from "../agent/NativeResults.ts"
import * as AuditLogLayer from "../call/AuditLog.ts"
import * as ResultStoreLayer from "../call/ResultStore.ts"
import * as ToolBridgeLayer from "../call/ToolBridge.ts"
import * as ContentSanitizerLayer from "../content/ContentSanitizer.ts"
import * as RedactorLayer from "../content/Redactor.ts"

export interface NativeOptions extends NativeResultsLayer.Options {
  /** For the audit log; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly dataDirectory?: string | undefined
}

/** What the results of servers that somebody else runs need: no configuration, and no server. */
export const NativeLive = ({ dataDirectory, maxChars }: NativeOptions = {}): Layer.Layer<NativeResults | Redactor> =>
  NativeResultsLayer.layer({ maxChars }).pipe(
    Layer.provide([
      Layer.provide(ToolBridgeLayer.layer, ResultStoreLayer.layerNone),
      AuditLogLayer.layerFiles({ directory: dataDirectory })
    ]),
    Layer.provide(ContentSanitizerLayer.layer),
    Layer.provideMerge(RedactorLayer.layer)
  )
