/** `telemetry`: where spans and metrics go. Without it, and without the variables of OpenTelemetry, there are none. */
import * as Schema from "effect/Schema"
import { choice, flag, key, optional, scalars, sound, text, whole } from "../config/Keys.ts"
import { notes } from "../config/Notes.ts"
import { section } from "../config/Sections.ts"
import { PROMETHEUS_HOST, PROMETHEUS_PORT, SERVICE_NAME } from "../defaults/Telemetry.ts"
import { addressFault, isLoopback } from "../listener/HttpAccess.ts"

export const PORT_MAX = 65_535

export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number]

export const endpointFault = (address: string): string | undefined => {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    ? undefined
    : 'must be an address with http or https, such as "http://127.0.0.1:4318"; credentials belong in headers'
}

/** It may hold credentials, so it is not shown. */
const endpoint = text.check(
  Schema.makeFilter(
    (address: string) => endpointFault(address) === undefined,
    notes({ problem: (value) => endpointFault(String(value)) })
  )
)

const NO_TOKEN = "needs a `token` if its `host` is no loopback address: otherwise anybody could read it"
const ratioProblem = () => "must be a number from 0 to 1"

const PROMETHEUS = {
  host: key(
    sound(addressFault),
    PROMETHEUS_HOST,
    "the address to listen on; any other than a loopback address needs `token`"
  ),
  port: key(whole("a port", 1, PORT_MAX), PROMETHEUS_PORT, "the port to listen on"),
  token: optional(text, "none", "the bearer token that Prometheus has to send; may be a `secret://` reference")
}

const Prometheus = Schema.Struct(PROMETHEUS).check(
  Schema.makeFilter(
    ({ host, token }: { readonly host: string; readonly token?: string }) => isLoopback(host) || token !== undefined,
    notes({ problem: () => NO_TOKEN })
  )
)

export type PrometheusConfig = typeof Prometheus.Type

const KEYS = {
  endpoint: optional(
    endpoint,
    "`OTEL_EXPORTER_OTLP_ENDPOINT`",
    "the address of an OpenTelemetry collector, which gets `/v1/traces` and `/v1/metrics` added"
  ),
  protocol: key(choice(OTLP_PROTOCOLS), "http/protobuf", "how spans and metrics are written for the collector"),
  headers: key(scalars, {}, "headers for the collector; values may contain `secret://` references"),
  traces: key(flag, true, "whether the collector gets spans"),
  metrics: key(flag, true, "whether the collector gets metrics"),
  sampleRatio: key(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate(notes({ problem: ratioProblem })),
    1,
    "the share of traces that begin here and are exported, from 0 to 1; a trace of a client is exported if the client says so"
  ),
  baggage: key(flag, false, "whether the `baggage` of MCP clients goes on to the servers that their requests reach"),
  people: key(
    flag,
    false,
    "whether spans of calls say whose they are: `enduser.id` is the person's name, `enduser.pseudo.id` the id that the audit log has; both are personal data"
  ),
  serviceName: key(text, SERVICE_NAME, "the name of this gateway in traces and metrics"),
  resource: key(scalars, {}, "further attributes of this gateway, such as `deployment.environment.name`"),
  prometheus: optional(Prometheus, "none", "serves the metrics for Prometheus at `/metrics` on a port of its own")
}

/** Where spans and metrics go. */
export interface TelemetryConfig extends Schema.Struct.Type<typeof KEYS> {}

/** Other programs have a `telemetry`, too. */
export const TELEMETRY = section("telemetry", KEYS)

export const DEFAULT_TELEMETRY: TelemetryConfig = TELEMETRY.defaults
