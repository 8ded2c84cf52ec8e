/** Telemetry. Defaults and limits, with their units in the names. */

/** The buckets that the conventions advise for the durations of operations and sessions, in seconds. */
export const DURATION_BOUNDARIES_S = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const
/** Sets of attributes of one metric; later ones share one. It is the limit of OpenTelemetry's own SDKs. */
export const METRIC_ATTRIBUTE_SETS_MAX = 2_000
/** A name or an address in an attribute. */
export const ATTRIBUTE_MAX_CHARS = 256

/** What is taken of the context that a peer sends along (W3C Trace Context and Baggage). */
export const TRACEPARENT_MAX_CHARS = 128
export const TRACESTATE_MAX_CHARS = 512
export const TRACESTATE_MAX_MEMBERS = 32
export const BAGGAGE_MAX_CHARS = 8_192

/** Spans that wait for the collector; later ones are dropped. */
export const OTLP_WAITING_MAX = 2_048
/** Spans in one request, and how long they are gathered. */
export const OTLP_BATCH_MAX = 512
/** Series of metrics in one request: each request is made in one turn of the event loop. */
export const OTLP_SERIES_MAX = 128
export const OTLP_SPANS_EVERY_MS = 5_000
export const OTLP_METRICS_EVERY_MS = 60_000
/** How long one request to the collector may take. */
export const OTLP_TIMEOUT_MS = 10_000
/** The pause after a request that failed, doubling up to the second one. */
export const OTLP_RETRY_MS = 1_000
export const OTLP_RETRY_MAX_MS = 60_000
/** The time for what is left when everything is closed. */
export const OTLP_CLOSE_MS = 1_000

export const SERVICE_NAME = "mcp-live"
export const PROMETHEUS_HOST = "127.0.0.1"
/** As other exporters for Prometheus have it. */
export const PROMETHEUS_PORT = 9464
export const PROMETHEUS_CONNECTIONS_MAX = 16
/** Series of a metric that are written as text at once. */
export const PROMETHEUS_SERIES_AT_ONCE = 16
/** The text is used again for so long at least, or for so many times the time that it took to make. */
export const PROMETHEUS_KEPT_MIN_MS = 100
export const PROMETHEUS_KEPT_TIMES = 20
/** Texts that are being sent, and how long one response may take to be read. */
export const PROMETHEUS_TEXTS_MAX = 2
export const PROMETHEUS_UNREAD_MS = 30_000
