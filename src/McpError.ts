/**
 * The errors of the package, as the namespace `McpError` of its main entry. Each has a `_tag` and a `message` for people: it names
 * the server and what to do, and holds no secret and no stack.
 */
export * from "./schemas/call/CallError.ts"
export * from "./schemas/connection/ConnectError.ts"
export * from "./schemas/connection/HttpError.ts"
export * from "./schemas/connection/RequestError.ts"
export { partsOf, type Parts } from "./schemas/connection/ErrorFields.ts"
