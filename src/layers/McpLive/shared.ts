/** What is one for all nodes of a fleet, and in the data directory of a process by itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { configurationIdentity } from "../../schemas/call/DefinitionHash.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import * as ApprovalsLayer from "../call/Approvals.ts"
import * as CallQuotasLayer from "../call/CallQuotas.ts"
import * as CallLimiterLayer from "../call/CallLimiter.ts"
import * as DefinitionLedgerLayer from "../call/DefinitionLedger.ts"
import * as ResultStoreLayer from "../call/ResultStore.ts"
import * as TokenStoreLayer from "../login/TokenStore.ts"
import { sharedOr } from "./fleet.ts"
import type { McpLiveOptions } from "./options.ts"
import { decisionsOf } from "./visitor.ts"

export const tokens = ({ dataDirectory: directory }: McpLiveOptions) =>
  sharedOr(() => TokenStoreLayer.layerStored(), TokenStoreLayer.layer({ directory }))

/** For a command, which is no node. */
export const tokensOfVisitor = ({ dataDirectory: directory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) => {
      const { file, fleet } = current()
      return fleet === undefined
        ? TokenStoreLayer.layer({ directory })
        : Layer.provide(TokenStoreLayer.layerStored(), decisionsOf({ file, fleet }))
    })
  )

export const approvals = ({ approve, dataDirectory: directory }: McpLiveOptions) =>
  sharedOr(() => ApprovalsLayer.layerStored({ approve }), ApprovalsLayer.layer({ approve, directory }))

export const limiter = () => sharedOr(() => CallLimiterLayer.layerStored(), CallLimiterLayer.layer())

/** The limits of people are those of the configuration that runs. */
export const quotas = ({ dataDirectory: directory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) => {
      const limits = () => current().clients?.limits
      return sharedOr(() => CallQuotasLayer.layerStored({ limits }), CallQuotasLayer.layer({ limits, directory }))
    })
  )

/** The file of the configuration may have another path at each node of a fleet. */
export const OF_THE_FLEET = configurationIdentity("fleet")

export const ledger = ({ dataDirectory: directory }: McpLiveOptions) =>
  sharedOr(
    () => DefinitionLedgerLayer.layerStored({ configuration: OF_THE_FLEET }),
    Layer.unwrap(
      Effect.map(LiveConfig, ({ current }) => {
        const configuration = configurationIdentity(resolve(current().file))
        return DefinitionLedgerLayer.layer({ directory, configuration })
      })
    )
  )

/** What no tool reads is not kept, and no result says that it can be read on. */
export const results = ({ dataDirectory: directory, runtimeTools = true }: McpLiveOptions) =>
  runtimeTools
    ? sharedOr(() => ResultStoreLayer.layerStored(), ResultStoreLayer.layer({ directory }))
    : ResultStoreLayer.layerNone
