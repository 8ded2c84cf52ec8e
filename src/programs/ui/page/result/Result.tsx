/** The result of a call: what was found in it first, then its blocks. */
import type { Finding } from "../../../../schemas/content/Finding.ts"
import { ServerText } from "../text/ServerText.tsx"
import { findingWords, shownResult, type Block, type Received } from "./blocks.ts"
import { JsonTree } from "./JsonTree.tsx"
import { Media } from "./Media.tsx"
import { TextBlock } from "./TextBlock.tsx"

const Findings = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) =>
  findings.length === 0 ? null : (
    <section class="notice" data-tone="warn" aria-label="Findings">
      <h4>Found in this result</h4>
      <ul>
        {findings.map((finding) => (
          <li key={`${finding.kind} ${finding.detail}`}>{findingWords(finding)}</li>
        ))}
      </ul>
    </section>
  )

const Link = ({ address, opens, words }: Extract<Block, { readonly kind: "link" }>) => (
  <p class="block-link">
    {words.length === 0 ? null : (
      <>
        <ServerText text={words.join(", ")} isInline />
        <br />
      </>
    )}
    {opens ? (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {new URL(address).href}
      </a>
    ) : (
      <code>
        <ServerText text={address} isInline />
      </code>
    )}
  </p>
)

const BlockView = (props: {
  readonly block: Block
  readonly findings: ReadonlyArray<Finding>
  readonly from: string
}) => {
  const { block, findings, from } = props
  switch (block.kind) {
    case "text":
      return <TextBlock {...block} findings={findings} />
    case "image":
    case "audio":
      return <Media {...block} from={from} />
    case "link":
      return <Link {...block} />
    case "value":
      return <JsonTree label="Structured content" value={block.value} />
    case "other":
      return (
        <p class="quiet">
          <ServerText text={block.words} isInline />
        </p>
      )
  }
}

export const Result = ({ from, result }: { readonly from: string; readonly result: Received }) => {
  const { blocks, findings, notes } = shownResult(result)
  return (
    <div class="result" data-error={result.isError}>
      <Findings findings={findings} />
      {blocks.length === 0 ? <p class="quiet">The result is empty.</p> : null}
      {blocks.map((block, index) => (
        <div key={index} class="block">
          <BlockView block={block} findings={findings} from={from} />
        </div>
      ))}
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
    </div>
  )
}
