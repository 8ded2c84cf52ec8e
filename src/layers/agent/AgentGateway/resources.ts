/**
 * Puts what the servers' resources say in front of a conversation: into its first user message, never into the system
 * prompt, which is no place for a stranger's text. It is a part of that message, since some models take no two messages of
 * one role in a row. What is kept of the conversation does not have it, so that the model always reads the latest.
 */
import type { ModelMessage, UserContent } from "ai"

const END = "\n\n## Conversation\n\n"

const behind = (block: string, content: UserContent): UserContent =>
  typeof content === "string" ? block + END + content : [{ type: "text", text: block + END }, ...content]

/** `block` is `McpRuntime.resourceContext`; the same messages where it is empty. */
export const withResources = (messages: ReadonlyArray<ModelMessage>, block: string): ReadonlyArray<ModelMessage> => {
  if (block === "") return messages
  const [first, ...others] = messages
  return first?.role === "user"
    ? [{ ...first, content: behind(block, first.content) }, ...others]
    : [{ role: "user", content: block }, ...messages]
}
