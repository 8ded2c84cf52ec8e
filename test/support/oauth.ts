/** Real connectors with a real authorizer and a store in a folder of the test's own. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as AuthorizerLayer from "../../src/layers/login/Authorizer.ts"
import * as ContentSanitizerLayer from "../../src/layers/content/ContentSanitizer.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import * as ServerConnectorLayer from "../../src/layers/connection/ServerConnector.ts"
import * as TokenStoreLayer from "../../src/layers/login/TokenStore.ts"
import type { Credentials } from "../../src/schemas/login/Credentials.ts"
import type { LoginPage } from "../../src/schemas/login/Login.ts"
import type { OAuthConfig } from "../../src/schemas/login/OAuthConfig.ts"
import type { ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { Authorizer, type LoginOptions } from "../../src/services/login/Authorizer.ts"
import { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import type { OAuthFixture } from "../fixtures/oauthServer.ts"
import { fakeHost } from "./host.ts"
import { serverConfig } from "./serverConfig.ts"
import { inFolder } from "./folder.ts"

export const folder: Effect.Effect<string, never, Scope.Scope> = inFolder

export interface WorldOptions {
  readonly directory: string
  readonly show?: LoginOptions["show"]
  readonly keychain?: TokenStoreLayer.Options["keychain"]
  readonly log?: Logger.Logger<unknown, void>
}

/** No keychain, unless the test brings one: nothing is written into that of who runs the tests. */
export const world = ({ directory, keychain = async () => undefined, log, show }: WorldOptions) =>
  ServerConnectorLayer.layer.pipe(
    Layer.provideMerge(AuthorizerLayer.layer(show === undefined ? {} : { show })),
    Layer.provideMerge(TokenStoreLayer.layer({ directory, keychain })),
    Layer.provide(NetworkGuardLayer.layer()),
    Layer.provide(Layer.mergeAll(SecretResolverLayer.layer(), ContentSanitizerLayer.layer)),
    Layer.provideMerge(RedactorLayer.layer),
    Layer.provide(fakeHost()),
    Layer.provideMerge(Logger.layer(log === undefined ? [] : [log]))
  )

/** With nothing in common but the folder. */
export const elsewhere =
  (directory: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, world({ directory }), { local: true })

export const protectedServer = (url: string, auth?: OAuthConfig, overrides: Partial<ServerConfig> = {}): ServerConfig =>
  serverConfig("safe", { launch: { kind: "http", url, headers: {}, auth }, timeout: 15_000, ...overrides })

/** A person who agrees to everything. */
export const agreeing =
  ({ agree }: OAuthFixture) =>
  ({ url }: LoginPage) =>
    Effect.promise(() => agree(url))

export const logIn = (fixture: OAuthFixture, config: ServerConfig = protectedServer(fixture.url)) =>
  Authorizer.use(({ login }) => login(config, { show: agreeing(fixture) }))

export const open = (config: ServerConfig) => ServerConnector.use((connector) => connector.open(config))

/** The files of credentials, and what stands in them. */
export const filesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(directory, "credentials")).map((name) => join(directory, "credentials", name))

export const keptIn = (directory: string): Credentials => {
  const file = filesIn(directory).find((name) => name.endsWith(".json"))
  if (file === undefined) throw new Error("nothing is kept")
  return (JSON.parse(readFileSync(file, "utf8")) as { credentials: Credentials }).credentials
}
