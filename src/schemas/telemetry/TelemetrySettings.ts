/**
 * What the configuration and the variables of OpenTelemetry say together, of which the variables win. Pure, and small: every program
 * asks this, to find out that there is nothing to do.
 */
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import {
  OTLP_METRICS_EVERY_MS,
  OTLP_SPANS_EVERY_MS,
  OTLP_TIMEOUT_MS,
  PROMETHEUS_HOST,
  PROMETHEUS_PORT,
  SERVICE_NAME
} from "../defaults/Telemetry.ts"
import {
  DEFAULT_TELEMETRY,
  endpointFault,
  OTLP_PROTOCOLS,
  type OtlpProtocol,
  PORT_MAX,
  type PrometheusConfig,
  type TelemetryConfig
} from "./TelemetryConfig.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Where one signal goes. */
export interface OtlpTarget {
  readonly url: string
  readonly protocol: OtlpProtocol
  /** May contain references to secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** How often something is sent. */
  readonly everyMs: number
}

/** Which traces are exported: the share of those that begin here, and whether a trace of somebody else follows that one's decision. */
export interface Sampling {
  readonly ratio: number
  readonly followsParent: boolean
}

export interface TelemetrySettings {
  readonly traces: OtlpTarget | undefined
  readonly metrics: OtlpTarget | undefined
  readonly prometheus: PrometheusConfig | undefined
  readonly sampling: Sampling
  readonly baggage: boolean
  readonly people: boolean
  /** Attributes of this gateway; `service.name` is always there. */
  readonly resource: Readonly<Record<string, string>>
  /** What was written and cannot be followed, in sentences. */
  readonly problems: ReadonlyArray<string>
}

type Signal = "TRACES" | "METRICS"

const EVERY: Readonly<Record<Signal, readonly [variable: string, ms: number]>> = {
  TRACES: ["OTEL_BSP_SCHEDULE_DELAY", OTLP_SPANS_EVERY_MS],
  METRICS: ["OTEL_METRIC_EXPORT_INTERVAL", OTLP_METRICS_EVERY_MS]
}

const EXPORTERS: Readonly<Record<Signal, ReadonlyArray<string>>> = {
  TRACES: ["otlp", "none"],
  METRICS: ["otlp", "prometheus", "none"]
}

const DEFAULT_ENDPOINT = "http://localhost:4318"
const MIN_EVERY_MS = 100

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `name=value,name=value`, with percent signs as in a URL. What is not of this form is told to `others`. */
const pairsIn = (text: string, others: () => void): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .flatMap((pair) => {
        const at = pair.indexOf("=")
        const name = pair.slice(0, at).trim()
        if (at > 0 && name !== "") return [[decoded(name), decoded(pair.slice(at + 1).trim())]]
        others()
        return []
      })
  )

export const telemetrySettings = (
  config: TelemetryConfig = DEFAULT_TELEMETRY,
  env: Environment = {}
): TelemetrySettings | undefined => {
  // An empty variable counts as none (OpenTelemetry › Environment Variables).
  const variable = (name: string) => env[name]?.trim() || undefined
  if (variable("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined
  /** Both signals may have the same one. */
  const problems = new Set<string>()

  const numberOf = (names: ReadonlyArray<string>, fallback: number, min: number, max: number): number => {
    for (const name of names) {
      const written = variable(name)
      if (written === undefined) continue
      const value = Number(written)
      if (Number.isInteger(value) && value >= min && value <= max) return value
      problems.add(`${name} must be a whole number from ${min} to ${max}, so it is ignored`)
    }
    return fallback
  }

  const pairsOf = (name: string): Readonly<Record<string, string>> =>
    pairsIn(variable(name) ?? "", () =>
      problems.add(`${name} must be written as name=value,name=value; what is not is left out`)
    )

  /** The variable that counts: one for a signal goes before that for all. */
  const nameOf = (signal: Signal, what: string): string | undefined =>
    [`OTEL_EXPORTER_OTLP_${signal}_${what}`, `OTEL_EXPORTER_OTLP_${what}`].find((name) => variable(name) !== undefined)

  const protocolOf = (signal: Signal): OtlpProtocol => {
    const name = nameOf(signal, "PROTOCOL")
    if (name === undefined) return config.protocol
    const protocol = OTLP_PROTOCOLS.find((one) => one === variable(name))
    if (protocol === undefined) {
      problems.add(`${name} must be http/protobuf or http/json; gRPC is not supported, so http/protobuf is used`)
    }
    return protocol ?? "http/protobuf"
  }

  const exportersOf = (signal: Signal) => {
    const name = `OTEL_${signal}_EXPORTER`
    const named = variable(name)
      ?.split(",")
      .map((one) => one.trim().toLowerCase())
    if (named?.some((one) => !EXPORTERS[signal].includes(one)) === true) {
      problems.add(`${name} names an exporter that there is not; there are: ${EXPORTERS[signal].join(", ")}`)
    }
    return named
  }
  const exporters = { TRACES: exportersOf("TRACES"), METRICS: exportersOf("METRICS") }

  const targetOf = (signal: Signal, configured: boolean): OtlpTarget | undefined => {
    const named = exporters[signal]
    const isNamed = named?.includes("otlp")
    if (named === undefined ? !configured : isNamed !== true) return undefined
    const own = variable(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    const base =
      variable("OTEL_EXPORTER_OTLP_ENDPOINT") ?? config.endpoint ?? (isNamed === true ? DEFAULT_ENDPOINT : undefined)
    const written = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`)
    if (written === undefined) return undefined
    const fault = endpointFault(written)
    if (fault !== undefined) {
      problems.add(`${nameOf(signal, "ENDPOINT") ?? "telemetry.endpoint"} ${fault}; until then, nothing is sent there`)
      return undefined
    }
    const headers = nameOf(signal, "HEADERS")
    const [every, everyMs] = EVERY[signal]
    const timeouts = [`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, "OTEL_EXPORTER_OTLP_TIMEOUT"]
    return {
      url: new URL(written).href,
      protocol: protocolOf(signal),
      headers: headers === undefined ? config.headers : pairsOf(headers),
      timeoutMs: numberOf(timeouts, OTLP_TIMEOUT_MS, 1, TIMER_MAX_MS),
      everyMs: numberOf([every], everyMs, MIN_EVERY_MS, TIMER_MAX_MS)
    }
  }

  const samplingOf = (): Sampling => {
    const written = variable("OTEL_TRACES_SAMPLER")
    if (written === undefined) return { ratio: config.sampleRatio, followsParent: true }
    const followsParent = written.startsWith("parentbased_")
    const argument = Number(variable("OTEL_TRACES_SAMPLER_ARG") ?? 1)
    switch (written.replace(/^parentbased_/, "")) {
      case "always_on":
        return { ratio: 1, followsParent }
      case "always_off":
        return { ratio: 0, followsParent }
      case "traceidratio":
        if (argument >= 0 && argument <= 1) return { ratio: argument, followsParent }
        problems.add("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
        return { ratio: 1, followsParent }
      default:
        problems.add("OTEL_TRACES_SAMPLER is not a sampler that is known here, so parentbased_always_on is used")
        return { ratio: 1, followsParent: true }
    }
  }

  const prometheusOf = (): PrometheusConfig | undefined => {
    const named = exporters.METRICS
    const isOn = named === undefined ? config.prometheus !== undefined : named.includes("prometheus")
    if (!isOn) return undefined
    // On another address it would be open to everybody: there, the configuration has to name a token.
    const host = variable("OTEL_EXPORTER_PROMETHEUS_HOST")
    if (host !== undefined && host !== "localhost" && host !== PROMETHEUS_HOST && config.prometheus === undefined) {
      problems.add('for another address than this machine, write "telemetry.prometheus" with a token')
    }
    const { port, ...others } = config.prometheus ?? { host: PROMETHEUS_HOST, port: PROMETHEUS_PORT }
    return { ...others, port: numberOf(["OTEL_EXPORTER_PROMETHEUS_PORT"], port, 1, PORT_MAX) }
  }

  const [traces, metrics] = [targetOf("TRACES", config.traces), targetOf("METRICS", config.metrics)]
  const prometheus = prometheusOf()
  if (traces === undefined && metrics === undefined && prometheus === undefined && problems.size === 0) {
    return undefined
  }
  const attributes = pairsOf("OTEL_RESOURCE_ATTRIBUTES")
  const serviceName = variable("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? config.serviceName ?? SERVICE_NAME
  return {
    traces,
    metrics,
    prometheus,
    sampling: samplingOf(),
    baggage: config.baggage,
    people: config.people,
    resource: { ...config.resource, ...attributes, "service.name": serviceName },
    problems: [...problems]
  }
}
