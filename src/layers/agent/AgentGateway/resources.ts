/**
 * Puts the content of the servers' resources before a conversation: into the first user message, never into the system
 * prompt, which must not contain foreign text. It becomes part of that message, since some models accept no two messages of
 * one role in a row. It is not stored with the conversation, so that the model always reads the latest version.
 */
import type { ModelMessage, UserContent } from "ai"

const END = "\n\n## Conversation\n\n"

const behind = (block: string, content: UserContent): UserContent =>
  typeof content === "string" ? block + END + content : [{ type: "text", text: block + END }, ...content]

/** `block` is `McpRuntime.resourceContext`; when it is empty, returns the same messages. */
export const withResources = (messages: ReadonlyArray<ModelMessage>, block: string): ReadonlyArray<ModelMessage> => {
  if (block === "") return messages
  const [first, ...others] = messages
  return first?.role === "user"
    ? [{ ...first, content: behind(block, first.content) }, ...others]
    : [{ role: "user", content: block }, ...messages]
}
