/** The tools for MCP clients. The input schema of `order_openclaw` is published and must not change. */
import {
  ORDER_HISTORY_TURNS,
  ORDER_HISTORY_TURNS_MAX,
  ORDER_SESSION_KEY_MAX_CHARS
} from "../../schemas/defaults/Orders.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"

export const ORDER = "order_openclaw"
export const STATUS = "order_status"
export const HISTORY = "order_history"

const mediaOf = (one: "image" | "file", example: string) => ({
  type: "object",
  properties: {
    data: { type: "string", description: `Base64-encoded ${one} data` },
    mimeType: { type: "string", description: `MIME type (e.g., '${example}')` },
    filename: { type: "string", description: "Optional filename" }
  },
  required: ["data", "mimeType"]
})

const order: JsonObject = {
  name: ORDER,
  title: "Order OpenClaw",
  description:
    "Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.",
  inputSchema: {
    type: "object",
    properties: {
      message: { type: "string", description: "The message to send to OpenClaw" },
      sessionKey: { type: "string", description: "Optional session key for conversation continuity" },
      images: {
        type: "array",
        description: "Optional base64-encoded images (max 10, 15MB each)",
        items: mediaOf("image", "image/png")
      },
      files: {
        type: "array",
        description: "Optional base64-encoded files (max 5, 15MB each)",
        items: mediaOf("file", "application/pdf")
      }
    },
    required: ["message"]
  },
  outputSchema: {
    type: "object",
    properties: {
      sessionKey: {
        type: "string",
        description: "The conversation: pass it as sessionKey of the next request to continue it"
      },
      text: { type: "string", description: "The text of the answer, as in content" },
      media: {
        type: "array",
        description: "The images, sounds and files of the answer, in their order",
        items: {
          type: "object",
          properties: { name: { type: "string" }, mimeType: { type: "string" }, bytes: { type: "integer" } },
          required: ["name", "mimeType", "bytes"]
        }
      },
      linked: {
        type: "array",
        description:
          "Parts that are too long for the result: each is the concatenation of what resources/read returns for its uris",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            mimeType: { type: "string" },
            bytes: { type: "integer" },
            uris: { type: "array", items: { type: "string" } }
          },
          required: ["name", "mimeType", "bytes", "uris"]
        }
      },
      ended: {
        type: "string",
        enum: ["stop", "steps", "length", "refusal", "failed", "other"],
        description: "stop: the answer is complete; otherwise what ended it"
      }
    },
    required: ["sessionKey", "text"]
  },
  // The agent can do anything that its tools can do.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  // It may take long: clients that support tasks can fetch the answer later.
  execution: { taskSupport: "optional" }
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const sessionKey = {
  type: "string",
  minLength: 1,
  maxLength: ORDER_SESSION_KEY_MAX_CHARS,
  description: "The session key of an order"
}

const status: JsonObject = {
  name: STATUS,
  title: "Status of an order",
  description:
    "What a session of order_openclaw is doing: whether an order is worked on, how many wait, and since when.",
  inputSchema: { type: "object", properties: { sessionKey }, required: ["sessionKey"] },
  outputSchema: {
    type: "object",
    properties: {
      sessionKey: { type: "string" },
      state: { type: "string", enum: ["running", "waiting", "idle", "unknown"] },
      doing: { type: "string" },
      runningForMs: { type: "number" },
      waiting: { type: "integer" },
      turns: { type: "integer" },
      updatedAt: { type: "string" }
    },
    required: ["sessionKey", "state", "waiting", "turns"]
  },
  annotations: READ_ONLY
}

const history: JsonObject = {
  name: HISTORY,
  title: "History of orders",
  description: "What was said in a session of order_openclaw: messages and answers as text, the oldest first.",
  inputSchema: {
    type: "object",
    properties: {
      sessionKey,
      turns: {
        type: "integer",
        minimum: 1,
        maximum: ORDER_HISTORY_TURNS_MAX,
        description: `How many of the latest turns; ${ORDER_HISTORY_TURNS} when left out`
      }
    },
    required: ["sessionKey"]
  },
  outputSchema: {
    type: "object",
    properties: {
      sessionKey: { type: "string" },
      turns: {
        type: "array",
        items: {
          type: "object",
          properties: {
            message: { type: "string" },
            attachments: {
              type: "array",
              items: {
                type: "object",
                properties: { name: { type: "string" }, mediaType: { type: "string" } },
                required: ["name", "mediaType"]
              }
            },
            answer: { type: "string" },
            calls: { type: "array", items: { type: "string" } }
          },
          required: ["message", "attachments", "answer", "calls"]
        }
      },
      earlier: { type: "integer", description: "Turns before these" }
    },
    required: ["sessionKey", "turns", "earlier"]
  },
  annotations: READ_ONLY
}

export const TOOLS: ReadonlyArray<JsonObject> = [order, status, history]
