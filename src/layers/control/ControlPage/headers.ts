/** What every answer of the page says to a browser. */

/** Scripts and styles only from here; text of servers that became markup by a mistake of ours would load nothing and run nothing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const UNUSED = [
  "camera",
  "clipboard-read",
  "display-capture",
  "geolocation",
  "hid",
  "microphone",
  "payment",
  "serial",
  "usb"
]

export const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": UNUSED.map((name) => `${name}=()`).join(", "),
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

/** For files whose names change with their content. */
export const LASTING = "private, max-age=31536000, immutable"
